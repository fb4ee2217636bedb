"""gRPC as a transport: `pip install trunkline[grpc]`, then TRUNKLINE_TRANSPORT=grpc or `Client(transport="grpc")`."""

try:
    import google.protobuf  # noqa: F401
    import grpc  # noqa: F401
except ImportError as error:
    raise ImportError("gRPC needs more packages: pip install 'trunkline[grpc]'") from error

from trunkline.grpc.transport import GrpcTransport

__all__ = ["GrpcTransport"]
