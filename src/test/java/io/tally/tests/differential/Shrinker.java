package io.tally.tests.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Takes a query that is answered wrongly and makes it, and then the rows, smaller for as long as it
 * is still answered wrongly in the same manner.
 */
final class Shrinker {
  private static final int MOST_QUERIES = 150;
  private static final int MOST_CLUSTERS = 8;
  private static final int VARIANTS_OF_A_CLUSTER = 8;

  private final Check check;
  private int queriesLeft = MOST_QUERIES;

  Shrinker(Check check) {
    this.check = check;
  }

  /** The smallest query found; {@code query} itself if none is smaller. */
  Query smallest(World world, Query query, String difference) {
    Query current = query;
    Optional<Query> next = Optional.of(query);
    while (next.isPresent()) {
      current = next.get();
      next =
          current
              .simpler()
              .takeWhile(it -> queriesLeft > 0)
              .filter(it -> isWrongToo(world, it, difference))
              .findFirst();
    }
    return current;
  }

  private boolean isWrongToo(World world, Query query, String difference) {
    queriesLeft--;
    return check.run(world, query).difference().filter(it -> alike(it, difference)).isPresent();
  }

  /** The same way, and the same sort of mistake; numbers in the sentences may differ. */
  private static boolean alike(String a, String b) {
    return sort(a).equals(sort(b));
  }

  private static String sort(String difference) {
    // "has 3 rows instead of 4" and "has other rows" may turn into one another.
    return difference.contains(" rows") && difference.contains(" has ")
        ? difference.substring(0, difference.indexOf(" has "))
        : difference.replaceAll("\\d+|:.*", "");
  }

  /** The fewest rows found with which the query is still answered wrongly. */
  WorldSpec fewestRows(WorldSpec spec, Query query, String difference) {
    List<TableData> used =
        spec.tables().stream().filter(it -> query.sql().contains(it.name() + " ")).toList();
    WorldSpec whole = spec.withTables(used);
    WorldSpec current = firstWrong(withOneRow(whole), query, difference).orElse(whole);
    int chunks = 2;
    for (int i = 0; i < MOST_CLUSTERS; i++) {
      List<WorldSpec> variants = withoutOneChunk(current, chunks);
      Optional<WorldSpec> smaller = firstWrong(variants, query, difference);
      if (smaller.isPresent()) {
        current = smaller.get();
      } else if (chunks >= rows(current)) {
        return current;
      } else {
        chunks = Math.min(chunks * 4, rows(current));
      }
    }
    return current;
  }

  private static int rows(WorldSpec spec) {
    return spec.tables().stream().mapToInt(TableData::rowCount).sum();
  }

  private Optional<WorldSpec> firstWrong(List<WorldSpec> variants, Query query, String difference) {
    for (int from = 0; from < variants.size(); from += VARIANTS_OF_A_CLUSTER) {
      List<WorldSpec> some =
          variants.subList(from, Math.min(variants.size(), from + VARIANTS_OF_A_CLUSTER));
      try (Worlds worlds = Worlds.start(some)) {
        for (int i = 0; i < some.size(); i++) {
          queriesLeft = MOST_QUERIES;
          if (isWrongToo(worlds.get(i), query, difference)) {
            return Optional.of(some.get(i));
          }
        }
      }
    }
    return Optional.empty();
  }

  /** Most mistakes need no row, or one: these save many starts of clusters. */
  private static List<WorldSpec> withOneRow(WorldSpec spec) {
    int rows = rows(spec);
    List<WorldSpec> variants = new ArrayList<>(List.of(without(spec, 0, rows)));
    for (int i = 1; i < VARIANTS_OF_A_CLUSTER && rows > 1; i++) {
      int kept = (int) ((long) rows * i / VARIANTS_OF_A_CLUSTER);
      variants.add(without(without(spec, kept + 1, rows), 0, kept));
    }
    return variants;
  }

  /** Without each of so many parts of the rows; partitions that become empty go, too. */
  private static List<WorldSpec> withoutOneChunk(WorldSpec spec, int chunks) {
    int rows = rows(spec);
    List<WorldSpec> variants = new ArrayList<>();
    for (int chunk = 0; chunk < chunks && rows > 0; chunk++) {
      int from = (int) ((long) rows * chunk / chunks);
      int to = (int) ((long) rows * (chunk + 1) / chunks);
      variants.add(without(spec, from, to));
    }
    return variants;
  }

  private static WorldSpec without(WorldSpec spec, int from, int to) {
    List<TableData> tables = new ArrayList<>();
    int index = 0;
    for (TableData table : spec.tables()) {
      List<List<List<Object>>> partitions = new ArrayList<>();
      for (List<List<Object>> partition : table.partitions()) {
        List<List<Object>> kept = new ArrayList<>();
        for (List<Object> row : partition) {
          if (index < from || index >= to) {
            kept.add(row);
          }
          index++;
        }
        if (!kept.isEmpty() || partition.isEmpty()) {
          partitions.add(kept);
        }
      }
      if (partitions.isEmpty()) {
        partitions.add(List.of());
      }
      tables.add(table.withPartitions(partitions));
    }
    return spec.withTables(tables);
  }
}
