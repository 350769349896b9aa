package io.tally.tests.linkage;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.objectweb.asm.Opcodes;

/**
 * Takes classes that were compiled against other libraries than those of a class path and hands on
 * what a JVM would refuse when it runs them there: classes, methods and fields that are missing,
 * interfaces that have become classes, methods that nobody implements, and overridden ones that are
 * final (JVMS 5.4). What the classes look up by name, or only pass on, is not seen.
 */
final class Linker {
  private final ClassPath classPath;
  private final Set<String> problems = new LinkedHashSet<>();

  private Linker(ClassPath classPath) {
    this.classPath = classPath;
  }

  /**
   * @param checked names, with slashes, of the classes to check; they are on the class path
   */
  static Set<String> problems(ClassPath classPath, Predicate<String> checked) {
    Linker linker = new Linker(classPath);
    classPath.forEach(checked, linker::check);
    return linker.problems;
  }

  private void check(String name, byte[] bytes) {
    for (Reference reference : Reference.in(bytes)) {
      checkReference(name, reference);
    }
    checkInheritance(ClassFile.of(bytes));
  }

  private void checkReference(String from, Reference reference) {
    Optional<ClassFile> owner = classPath.find(reference.owner());
    if (owner.isEmpty()) {
      problem(from, "there is no class " + reference.owner());
    } else if (reference instanceof Reference.Field field) {
      if (!declares(owner.get(), field.key(), ClassFile::fields)) {
        problem(from, owner.get().name() + " has no field " + field.key());
      }
    } else if (reference instanceof Reference.Method method) {
      if (owner.get().is(Opcodes.ACC_INTERFACE) != method.ofInterface()) {
        problem(from, owner.get().name() + " was an interface and is a class, or the reverse");
      } else if (!isSignaturePolymorphic(owner.get())
          && !declares(owner.get(), method.key(), ClassFile::methods)) {
        problem(from, owner.get().name() + " has no method " + method.key());
      }
    }
  }

  /** Such methods have whatever types they are called with (JVMS 2.9.3). */
  private static boolean isSignaturePolymorphic(ClassFile owner) {
    return owner.name().equals("java/lang/invoke/MethodHandle")
        || owner.name().equals("java/lang/invoke/VarHandle");
  }

  /** Itself or by inheritance; an interface also has what Object has. */
  private boolean declares(
      ClassFile owner, String key, Function<ClassFile, Map<String, Integer>> members) {
    return members.apply(owner).containsKey(key)
        || owner.parents().stream()
            .map(classPath::find)
            .flatMap(Optional::stream)
            .anyMatch(parent -> declares(parent, key, members));
  }

  private void checkInheritance(ClassFile own) {
    Map<String, String> unimplemented = new HashMap<>();
    Set<String> implemented = new HashSet<>();
    collectMethods(own, unimplemented, implemented);
    unimplemented.keySet().removeAll(implemented);
    if (!own.is(Opcodes.ACC_ABSTRACT)) {
      unimplemented.forEach(
          (key, parent) -> problem(own.name(), "does not implement " + parent + "." + key));
    }
    Optional<ClassFile> parent = own.superclass().flatMap(classPath::find);
    while (parent.isPresent()) {
      checkFinal(own, parent.get());
      parent = parent.get().superclass().flatMap(classPath::find);
    }
  }

  private void collectMethods(
      ClassFile of, Map<String, String> unimplemented, Set<String> implemented) {
    of.methods()
        .forEach(
            (key, access) -> {
              if ((access & Opcodes.ACC_ABSTRACT) != 0) {
                unimplemented.put(key, of.name());
              } else if ((access & (Opcodes.ACC_STATIC | Opcodes.ACC_PRIVATE)) == 0) {
                implemented.add(key);
              }
            });
    for (String parent : of.parents()) {
      classPath.find(parent).ifPresent(it -> collectMethods(it, unimplemented, implemented));
    }
  }

  private void checkFinal(ClassFile own, ClassFile parent) {
    if (parent.is(Opcodes.ACC_FINAL)) {
      problem(own.name(), "extends " + parent.name() + ", which is final");
    }
    own.methods()
        .forEach(
            (key, access) -> {
              int inherited = parent.methods().getOrDefault(key, 0);
              if ((access & (Opcodes.ACC_STATIC | Opcodes.ACC_PRIVATE)) == 0
                  && (inherited & Opcodes.ACC_FINAL) != 0
                  && (inherited & Opcodes.ACC_PRIVATE) == 0) {
                problem(own.name(), "overrides " + parent.name() + "." + key + ", which is final");
              }
            });
  }

  private void problem(String in, String what) {
    problems.add(in.replace('/', '.') + ": " + what);
  }
}
