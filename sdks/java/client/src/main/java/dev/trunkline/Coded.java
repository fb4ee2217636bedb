package dev.trunkline;

/** An exception with a code, which is reported with it and groups dead letters. */
public interface Coded {
  /**
   * The code.
   *
   * @return a stable code for programs; may be null
   */
  String code();
}
