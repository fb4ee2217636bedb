package dev.trunkline;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.Marker;
import org.slf4j.event.KeyValuePair;
import org.slf4j.event.Level;
import org.slf4j.event.LoggingEvent;
import org.slf4j.helpers.AbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.spi.LoggingEventAware;

/** Gives lines to the server beside the program's own logger: everything from info on, and debug where it is on here. */
final class JobLogger extends AbstractLogger implements LoggingEventAware {
  private static final long serialVersionUID = 1L;

  /** Takes a line. */
  @FunctionalInterface
  interface Sink {
    void line(String level, String message, JsonNode fields);
  }

  private final transient Logger inner;
  private final transient ObjectMapper mapper;
  private final transient Sink sink;

  JobLogger(Logger inner, ObjectMapper mapper, Sink sink) {
    this.name = inner.getName();
    this.inner = inner;
    this.mapper = mapper;
    this.sink = sink;
  }

  @Override
  protected String getFullyQualifiedCallerName() {
    return JobLogger.class.getName();
  }

  @Override
  protected void handleNormalizedLoggingCall(Level level, Marker marker, String message, Object[] arguments, Throwable error) {
    String text = MessageFormatter.basicArrayFormat(message, arguments);
    write(level, marker, text, error, Map.of());
  }

  @Override
  public void log(LoggingEvent event) {
    String text = MessageFormatter.basicArrayFormat(event.getMessage(), event.getArgumentArray());
    Map<String, Object> fields = new LinkedHashMap<>();
    List<KeyValuePair> pairs = event.getKeyValuePairs();
    if (pairs != null) {
      pairs.forEach(pair -> fields.put(pair.key, pair.value));
    }
    List<Marker> markers = event.getMarkers();
    Marker marker = markers == null || markers.isEmpty() ? null : markers.get(0);
    write(event.getLevel(), marker, text, event.getThrowable(), fields);
  }

  private void write(Level level, Marker marker, String text, Throwable error, Map<String, Object> fields) {
    if (text == null) {
      text = "null";
    }
    if (level != Level.TRACE) {
      sink.line(word(level), error == null ? text : text + "\n" + trace(error), json(fields));
    }
    if (inner.isEnabledForLevel(level)) {
      String shown = fields.isEmpty() ? text : text + " " + fields;
      switch (level) {
        case ERROR -> inner.error(marker, shown, error);
        case WARN -> inner.warn(marker, shown, error);
        case INFO -> inner.info(marker, shown, error);
        case DEBUG -> inner.debug(marker, shown, error);
        default -> inner.trace(marker, shown, error);
      }
    }
  }

  private static String word(Level level) {
    return switch (level) {
      case ERROR -> "error";
      case WARN -> "warn";
      case INFO -> "info";
      default -> "debug";
    };
  }

  private static String trace(Throwable error) {
    StringWriter text = new StringWriter();
    error.printStackTrace(new PrintWriter(text));
    return text.toString().stripTrailing();
  }

  /** Null where there are none. A log line never fails its handler. */
  private JsonNode json(Map<String, Object> fields) {
    if (fields.isEmpty()) {
      return null;
    }
    var json = mapper.createObjectNode();
    fields.forEach((key, value) -> {
      try {
        JsonNode own = mapper.valueToTree(value);
        json.set(key, own.toString().contains("\\u0000") ? mapper.valueToTree(String.valueOf(value).replace('\0', '\uFFFD')) : own);
      } catch (IllegalArgumentException error) {
        json.put(key, String.valueOf(value).replace('\0', '\uFFFD'));
      }
    });
    return json;
  }

  @Override
  public boolean isTraceEnabled() {
    return inner.isTraceEnabled();
  }

  @Override
  public boolean isTraceEnabled(Marker marker) {
    return inner.isTraceEnabled(marker);
  }

  @Override
  public boolean isDebugEnabled() {
    return inner.isDebugEnabled();
  }

  @Override
  public boolean isDebugEnabled(Marker marker) {
    return inner.isDebugEnabled(marker);
  }

  @Override
  public boolean isInfoEnabled() {
    return true;
  }

  @Override
  public boolean isInfoEnabled(Marker marker) {
    return true;
  }

  @Override
  public boolean isWarnEnabled() {
    return true;
  }

  @Override
  public boolean isWarnEnabled(Marker marker) {
    return true;
  }

  @Override
  public boolean isErrorEnabled() {
    return true;
  }

  @Override
  public boolean isErrorEnabled(Marker marker) {
    return true;
  }
}
