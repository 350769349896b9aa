"""Tally in PySpark: settings for a session, nodes on this machine, and what a query has brought from nodes.

It adds nothing to Tally; all of it can be done by hand with the data source ``tally`` and ``tally-server``.
"""

from tally_spark.cluster import LocalCluster, NodeStartError, local_cluster
from tally_spark.places import MissingPartError
from tally_spark.received import Received, received
from tally_spark.session import configure

__all__ = [
    "LocalCluster",
    "MissingPartError",
    "NodeStartError",
    "Received",
    "configure",
    "local_cluster",
    "received",
]
