package io.tally.tests.linkage;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Takes the bytes of a class and hands on what other classes link against. Names are those of class
 * files, with slashes.
 *
 * @param methods access flags by name and descriptor
 * @param fields access flags by name and descriptor
 */
record ClassFile(
    String name,
    int access,
    Optional<String> superclass,
    List<String> interfaces,
    Map<String, Integer> methods,
    Map<String, Integer> fields) {

  static ClassFile of(byte[] bytes) {
    Declarations declared = new Declarations();
    ClassReader reader = new ClassReader(bytes);
    reader.accept(
        declared, ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    return new ClassFile(
        reader.getClassName(),
        reader.getAccess(),
        Optional.ofNullable(reader.getSuperName()),
        Arrays.asList(reader.getInterfaces()),
        declared.methods,
        declared.fields);
  }

  List<String> parents() {
    List<String> parents = new ArrayList<>();
    superclass.ifPresent(parents::add);
    parents.addAll(interfaces);
    return parents;
  }

  boolean is(int flag) {
    return (access & flag) != 0;
  }

  private static final class Declarations extends ClassVisitor {
    private final Map<String, Integer> methods = new HashMap<>();
    private final Map<String, Integer> fields = new HashMap<>();

    Declarations() {
      super(Opcodes.ASM9);
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String descriptor, String signature, String[] exceptions) {
      methods.put(name + descriptor, access);
      return null;
    }

    @Override
    public FieldVisitor visitField(
        int access, String name, String descriptor, String signature, Object value) {
      fields.put(name + " " + descriptor, access);
      return null;
    }
  }
}
