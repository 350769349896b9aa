package io.tally.tests.differential;

import io.tally.tests.Answer;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Takes a query and a world, lets it be answered in all ways at once, and compares. */
final class Check implements AutoCloseable {
  private static final long LIMIT_SECONDS = 600;

  private final ExecutorService threads =
      Executors.newFixedThreadPool(
          World.Way.values().length,
          task -> {
            Thread thread = new Thread(task, "way");
            thread.setDaemon(true);
            return thread;
          });

  /**
   * What came out.
   *
   * @param difference what is wrong, or empty
   */
  record Result(Map<World.Way, Answer> answers, Optional<String> difference) {

    boolean isWrong() {
      return difference.isPresent();
    }

    boolean failsEverywhere() {
      return answers.values().stream().allMatch(it -> it instanceof Answer.Failed);
    }

    Answer pushing() {
      return answers.get(World.Way.PUSHING);
    }
  }

  Result run(World world, Query query) {
    Map<World.Way, Future<Answer>> running = new EnumMap<>(World.Way.class);
    for (World.Way way : World.Way.values()) {
      running.put(way, threads.submit(() -> world.answer(way, query.sql())));
    }
    Map<World.Way, Answer> answers = new EnumMap<>(World.Way.class);
    running.forEach((way, answer) -> answers.put(way, await(answer)));
    Comparison comparison = new Comparison(query, query.from().mostRows(world.spec()));
    for (World.Way way : List.of(World.Way.FETCHING, World.Way.PUSHING)) {
      Optional<String> difference =
          comparison.difference(
              answers.get(World.Way.PARQUET),
              answers.get(way),
              () -> world.answer(World.Way.PARQUET, query.unlimited().sql()));
      if (difference.isPresent()) {
        return new Result(answers, difference.map(it -> way + " " + it));
      }
    }
    return new Result(answers, Optional.empty());
  }

  private static Answer await(Future<Answer> answer) {
    try {
      return answer.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      // Errors; exceptions are answers.
      return new Answer.Failed(List.of(), e);
    } catch (TimeoutException e) {
      answer.cancel(true);
      return new Answer.Failed(List.of("no answer after " + LIMIT_SECONDS + " s"), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while waiting for an answer", e);
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
