/**
 * The wire of Tally: generated messages ({@code io.tally.rpc.v1}), the names of what a node can
 * evaluate, and typed errors with their mapping to gRPC.
 */
package io.tally.rpc;
