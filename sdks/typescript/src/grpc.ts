// gRPC as a transport: `import "trunkline/grpc"` makes it known, and TRUNKLINE_TRANSPORT=grpc or
// `new Client({ transport: "grpc" })` uses it. It needs @grpc/grpc-js and @bufbuild/protobuf.
import { grpcTransport } from "./grpc/transport.js";
import { registerTransport } from "./transport.js";

registerTransport("grpc", grpcTransport);

export { GrpcTransport } from "./grpc/transport.js";
export type { GrpcOptions } from "./grpc/transport.js";
