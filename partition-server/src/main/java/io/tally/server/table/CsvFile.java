package io.tally.server.table;

import io.tally.rpc.ShownText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A CSV file as DuckDB's sniffer sees it after reading all of it, so that a later scan does not
 * guess again.
 *
 * @param options everything but the header and the columns that {@code read_csv} has to be told
 * @param columns in the order of the file, with the types that their values look like
 */
record CsvFile(StoredFile file, String options, boolean header, List<StoredColumn> columns) {
  /** What the sniffer writes for a character that is not used. */
  private static final String NO_CHARACTER = "(empty)";

  private static final Pattern DELIMITER = Pattern.compile("[,;\t|]");

  CsvFile {
    columns = List.copyOf(columns);
  }

  static CsvFile sniff(DuckDb database, StoredFile file) throws CatalogException {
    List<CsvFile> sniffed = new ArrayList<>();
    List<StoredColumn> columns = new ArrayList<>();
    long[] skipped = new long[1];
    boolean[] quoted = new boolean[1];
    // The sniffer names a format only if it is not the usual one; NULL: the usual one.
    database.query(
        "SELECT Delimiter, Quote, Escape, Comment, SkipRows, HasHeader, DateFormat,"
            + " TimestampFormat, unnest(Columns, recursive := true)"
            + " FROM sniff_csv("
            + SqlText.pattern(file.path())
            + ", sample_size = -1)",
        row -> {
          String options =
              "auto_detect = false"
                  + (", delim = " + character(row.getString(1)))
                  + (", quote = " + character(row.getString(2)))
                  + (", escape = " + character(row.getString(3)))
                  + (", comment = " + character(row.getString(4)))
                  + (", skip = " + row.getLong(5))
                  + format("dateformat", row.getString(7))
                  + format("timestampformat", row.getString(8));
          skipped[0] = row.getLong(5);
          quoted[0] = !row.getString(2).equals(NO_CHARACTER);
          columns.add(new StoredColumn(row.getString(9), DuckTypeParser.parse(row.getString(10))));
          if (sniffed.isEmpty()) {
            sniffed.add(new CsvFile(file, options, row.getBoolean(6), List.of()));
          }
        });
    if (sniffed.isEmpty()) {
      throw CatalogException.data(file.path() + " has no columns; is it CSV?");
    }
    checkNothingIsLost(database, file, skipped[0], quoted[0], columns);
    CsvFile csv = new CsvFile(file, sniffed.get(0).options, sniffed.get(0).header, columns);
    csv.checkNames(database);
    return csv;
  }

  /**
   * The sniffer makes something of any file: where rows have different numbers of values it skips
   * those before, or takes whole lines for the values of one column.
   */
  private static void checkNothingIsLost(
      DuckDb database,
      StoredFile file,
      long skippedLines,
      boolean quoted,
      List<StoredColumn> columns)
      throws CatalogException {
    List<String> lost = new ArrayList<>();
    if (skippedLines > 0) {
      database.query(
          "SELECT line FROM (SELECT line FROM read_csv("
              + SqlText.pattern(file.path())
              + ", auto_detect = false, header = false, quote = '', escape = '', delim = chr(1),"
              + " columns = {'line': 'VARCHAR'}, hive_partitioning = false, parallel = false) LIMIT "
              + skippedLines
              + ") WHERE trim(line) <> '' AND NOT starts_with(line, '#')",
          row -> lost.add(row.getString(1)));
    }
    if (!lost.isEmpty()) {
      throw CatalogException.data(
          String.format(
              "%s has lines at its start with fewer or more values than the others: \"%s\";"
                  + " correct or remove them, or put # in front",
              file.path(), ShownText.name(lost.get(0))));
    }
    if (!quoted && columns.size() == 1 && DELIMITER.matcher(columns.get(0).name()).find()) {
      throw CatalogException.data(
          String.format(
              "%s looks like one column named \"%s\"; rows have fewer or more values than others, or the"
                  + " name of the column needs another character; correct the file",
              file.path(), ShownText.name(columns.get(0).name())));
    }
  }

  private void checkNames(DuckDb database) throws CatalogException {
    if (!header || !NameTwins.maybeHidden(columns)) {
      return;
    }
    List<String> written = new ArrayList<>();
    database.query(
        "SELECT * FROM read_csv("
            + SqlText.pattern(file.path())
            + ", "
            + optionsWith(false, column -> "VARCHAR")
            + ", hive_partitioning = false, parallel = false) LIMIT 1",
        row -> {
          for (int i = 1; i <= columns.size(); i++) {
            written.add(String.valueOf(row.getString(i)));
          }
        });
    Optional<NameTwins> twins = NameTwins.among(written);
    if (twins.isPresent()) {
      throw CatalogException.data(
          file.path() + " has " + twins.get() + "; rename one of them in its header");
    }
  }

  /** The options that fix names and types of the columns, in the order of this file. */
  String optionsWith(List<StoredColumn> tableColumns) {
    return optionsWith(header, column -> typeIn(tableColumns, column.name()));
  }

  private String optionsWith(boolean hasHeader, Function<StoredColumn, String> type) {
    return options
        + (", header = " + hasHeader)
        + columns.stream()
            .map(column -> SqlText.text(column.name()) + ": " + SqlText.text(type.apply(column)))
            .collect(Collectors.joining(", ", ", columns = {", "}"));
  }

  private static String typeIn(List<StoredColumn> tableColumns, String name) {
    return tableColumns.stream()
        .filter(column -> column.name().equals(name))
        .findFirst()
        .orElseThrow()
        .type()
        .sql();
  }

  private static String character(String sniffed) {
    return SqlText.text(sniffed.equals(NO_CHARACTER) ? "" : sniffed);
  }

  private static String format(String option, String sniffed) {
    return sniffed == null ? "" : ", " + option + " = " + SqlText.text(sniffed);
  }
}
