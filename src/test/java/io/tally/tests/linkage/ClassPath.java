package io.tally.tests.linkage;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/** Takes jars and hands on the classes in them, and Java's own; no class of them is loaded. */
final class ClassPath implements AutoCloseable {
  private final List<JarFile> jars = new ArrayList<>();
  private final Map<String, JarFile> jarOfEntry = new HashMap<>();
  private final Map<String, Optional<ClassFile>> read = new HashMap<>();

  ClassPath(List<Path> files) throws IOException {
    for (Path file : files) {
      JarFile jar = new JarFile(file.toFile());
      jars.add(jar);
      jar.stream().forEach(entry -> jarOfEntry.putIfAbsent(entry.getName(), jar));
    }
  }

  /** The class of a name with slashes. */
  Optional<ClassFile> find(String name) {
    return read.computeIfAbsent(name, each -> bytes(each + ".class").map(ClassFile::of));
  }

  /** Calls for the names and the bytes of classes with such names. */
  void forEach(Predicate<String> named, BiConsumer<String, byte[]> action) {
    jarOfEntry.keySet().stream()
        .filter(entry -> entry.endsWith(".class"))
        .map(entry -> entry.substring(0, entry.length() - ".class".length()))
        .filter(named)
        .sorted()
        .forEach(name -> action.accept(name, bytes(name + ".class").orElseThrow()));
  }

  private Optional<byte[]> bytes(String entry) {
    try (InputStream in = open(entry)) {
      return in == null ? Optional.empty() : Optional.of(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private InputStream open(String entry) throws IOException {
    JarFile jar = jarOfEntry.get(entry);
    return jar == null
        ? ClassLoader.getPlatformClassLoader().getResourceAsStream(entry)
        : jar.getInputStream(new JarEntry(entry));
  }

  @Override
  public void close() throws IOException {
    for (JarFile jar : jars) {
      jar.close();
    }
  }
}
