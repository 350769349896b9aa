package io.tally.tests.linkage;

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.ClassReader;

/** What a class file names of other classes, out of its constants: code names nothing else. */
sealed interface Reference {
  /** The class that is named, with slashes. */
  String owner();

  record Type(String owner) implements Reference {}

  /**
   * A field.
   *
   * @param key name and descriptor, as in {@link ClassFile#fields}
   */
  record Field(String owner, String key) implements Reference {}

  /**
   * A method or constructor.
   *
   * @param key name and descriptor, as in {@link ClassFile#methods}
   * @param ofInterface whether the owner was an interface when this was compiled
   */
  record Method(String owner, String key, boolean ofInterface) implements Reference {}

  /** Numbers of the kinds of constants (JVMS 4.4). */
  int CLASS = 7;

  int FIELD = 9;
  int METHOD = 10;
  int INTERFACE_METHOD = 11;

  static List<Reference> in(byte[] bytes) {
    ClassReader reader = new ClassReader(bytes);
    char[] buffer = new char[reader.getMaxStringLength()];
    List<Reference> references = new ArrayList<>();
    for (int i = 1; i < reader.getItemCount(); i++) {
      int at = reader.getItem(i);
      // The second half of a long or double has no place of its own.
      int kind = at == 0 ? 0 : reader.readByte(at - 1);
      if (kind == CLASS) {
        references.add(new Type(elementOf(reader.readUTF8(at, buffer))));
      } else if (kind == FIELD || kind == METHOD || kind == INTERFACE_METHOD) {
        String owner = elementOf(reader.readClass(at, buffer));
        int nameAndType = reader.getItem(reader.readUnsignedShort(at + 2));
        String name = reader.readUTF8(nameAndType, buffer);
        String descriptor = reader.readUTF8(nameAndType + 2, buffer);
        references.add(
            kind == FIELD
                ? new Field(owner, name + " " + descriptor)
                : new Method(owner, name + descriptor, kind == INTERFACE_METHOD));
      }
    }
    return references;
  }

  /** Of {@code [[Lpackage/Name;} the name in it; arrays of primitives count as Object. */
  private static String elementOf(String name) {
    if (!name.startsWith("[")) {
      return name;
    }
    return name.endsWith(";")
        ? name.substring(name.indexOf('L') + 1, name.length() - 1)
        : "java/lang/Object";
  }
}
