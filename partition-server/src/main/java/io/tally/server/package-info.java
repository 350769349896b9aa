/** The node as a process: command line, configuration, wiring. */
package io.tally.server;
