package dev.trunkline;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * SIGTERM and SIGINT ask a worker to stop instead of ending the process, also where it is process 1. A shutdown hook would not do:
 * after it the exit code is 143. The class of the JDK that can do more is no part of its promised interface, so it is looked up.
 */
final class Signals implements AutoCloseable {
  private final Map<Object, Object> before = new LinkedHashMap<>();
  private Method handle;

  private Signals() {}

  static Signals onStop(Runnable stop) {
    Signals signals = new Signals();
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      signals.handle = signal.getMethod("handle", signal, handler);
      for (String name : List.of("TERM", "INT")) {
        Object one = signal.getConstructor(String.class).newInstance(name);
        Object ours = Proxy.newProxyInstance(Signals.class.getClassLoader(), new Class<?>[] {handler}, calls(stop));
        signals.before.put(one, signals.handle.invoke(null, one, ours));
      }
    } catch (ReflectiveOperationException unavailable) {
      // Started with -Xrs, or no such signal here: then whoever embeds the worker calls stop.
      Worker.LOG.warn("signals are not looked at: {}", unavailable.toString());
    }
    return signals;
  }

  private static InvocationHandler calls(Runnable stop) {
    return (proxy, method, arguments) -> {
      if (method.getName().equals("handle")) {
        stop.run();
        return null;
      }
      return switch (method.getName()) {
        case "equals" -> proxy == arguments[0];
        case "hashCode" -> System.identityHashCode(proxy);
        default -> "trunkline worker";
      };
    };
  }

  @Override
  public void close() {
    before.forEach((signal, handler) -> {
      try {
        handle.invoke(null, signal, handler);
      } catch (ReflectiveOperationException error) {
        Worker.LOG.warn("a signal's handler stays: {}", error.toString());
      }
    });
  }
}
