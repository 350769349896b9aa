/**
 * Arrow schemas and record batches to and from the frames of the wire. At most one copy of a
 * batch's body is made on each side.
 */
package io.tally.rpc.arrow;
