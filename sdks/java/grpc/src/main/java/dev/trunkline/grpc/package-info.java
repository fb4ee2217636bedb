/**
 * gRPC as a transport. With this artifact on the class path, <code>TRUNKLINE_TRANSPORT=grpc</code> or
 * <code>TrunklineClient.builder().transport("grpc")</code> chooses it. Nothing calls REST then; what only REST has, such as the stream
 * of changes, fails and says so.
 */
package dev.trunkline.grpc;
