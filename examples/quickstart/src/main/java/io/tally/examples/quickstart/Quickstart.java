package io.tally.examples.quickstart;

import java.util.List;
import org.apache.spark.sql.SparkSession;

/**
 * Takes the addresses of three running nodes, asks them a few questions in Spark SQL, and shows for
 * each what Spark pushed down to the nodes, what crossed the network, and what it saved.
 *
 * <p>Every question is asked twice: in a session whose views let Tally push work down, and in one
 * whose views do not, so that Spark fetches rows and computes by itself. Both must answer the same.
 */
public final class Quickstart {

  private static final List<Question> QUESTIONS =
      List.of(
          new Question(
              "Which airports have the most departures, and how late are they on average?",
              """
              SELECT origin, count(*) AS flights, avg(delay) AS average_delay
              FROM flights GROUP BY origin ORDER BY flights DESC, origin"""),
          new Question(
              "How many flights are there, and how far did they go?",
              """
              SELECT count(*) AS flights, min(delay) AS earliest, max(delay) AS latest, \
              sum(distance) AS miles FROM flights"""),
          new Question(
              "Which routes out of New York were worst in the week before Easter?",
              """
              SELECT origin, destination, count(*) AS flights, avg(delay) AS average_delay
              FROM flights
              WHERE origin IN ('JFK', 'LGA', 'EWR')
                AND date >= TIMESTAMP_NTZ '2001-04-09' AND date < TIMESTAMP_NTZ '2001-04-16'
              GROUP BY origin, destination
              ORDER BY average_delay DESC, origin, destination LIMIT 20"""),
          new Question(
              "Which days had most flights that were more than three hours late?",
              """
              SELECT to_date(date) AS day, count(*) AS flights, max(delay) AS worst
              FROM flights WHERE delay > 180
              GROUP BY to_date(date) ORDER BY flights DESC, day LIMIT 20"""),
          new Question(
              "In which states do passengers lose most time?",
              """
              SELECT state, sum(late) AS late_flights, sum(minutes) AS minutes
              FROM (SELECT origin, count(*) AS late, sum(delay) AS minutes
                    FROM flights WHERE delay > 0 GROUP BY origin)
              JOIN airports ON origin = iata
              GROUP BY state ORDER BY minutes DESC, state LIMIT 20"""),
          new Question(
              "Which single flights were more than a day late?",
              """
              SELECT date, origin, destination, delay FROM flights
              WHERE delay > 1440 ORDER BY delay DESC, date LIMIT 20"""));

  private Quickstart() {}

  /** Takes one argument, {@code host:port,host:port,…}; ends with status 1 if anything fails. */
  public static void main(String[] args) {
    if (args.length != 1) {
      System.err.println("Usage: Quickstart host:port,host:port,… (run.sh starts everything)");
      System.exit(2);
    }
    SparkSession spark = startSpark();
    try {
      Session pushing = Session.over(args[0], spark, true);
      Session fetching = Session.over(args[0], spark.newSession(), false);
      Report.warmUp(QUESTIONS.get(0), pushing, fetching);
      for (Question question : QUESTIONS) {
        Report.print(question, pushing.ask(question), fetching.ask(question));
      }
      System.out.println("\nAll answers agree with push-down and without.");
    } catch (Exception e) {
      System.err.println("The quickstart failed: " + firstLine(rootCause(e)));
      System.exit(1);
    } finally {
      spark.stop();
    }
  }

  /** Spark wraps a failure on an executor several times, and adds the stack to its messages. */
  private static Throwable rootCause(Throwable failure) {
    return failure.getCause() == null ? failure : rootCause(failure.getCause());
  }

  private static String firstLine(Throwable failure) {
    return String.valueOf(failure.getMessage()).lines().findFirst().orElse("");
  }

  private static SparkSession startSpark() {
    return SparkSession.builder()
        .appName("Tally quickstart")
        .master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate();
  }

  /** What to ask, in words and in SQL. */
  record Question(String words, String sql) {}
}
