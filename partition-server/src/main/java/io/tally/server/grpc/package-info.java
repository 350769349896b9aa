/** The service: admission, flow control, errors. The only importer of gRPC on the node. */
package io.tally.server.grpc;
