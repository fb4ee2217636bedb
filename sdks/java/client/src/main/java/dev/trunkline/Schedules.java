package dev.trunkline;

import dev.trunkline.api.CallOptions;
import dev.trunkline.api.Calls;
import dev.trunkline.model.Preview;
import dev.trunkline.model.Schedule;
import dev.trunkline.model.ScheduleRequest;
import java.util.List;
import java.util.Map;

/** Schedules. */
public final class Schedules {
  private final Calls calls;

  Schedules(Calls calls) {
    this.calls = calls;
  }

  /**
   * Makes one.
   *
   * @param schedule see {@link ScheduleRequest#builder}
   * @return the schedule
   */
  public Schedule create(ScheduleRequest schedule) {
    return calls.createSchedule(schedule, CallOptions.DEFAULT);
  }

  /**
   * All schedules, page by page.
   *
   * @param query any of <code>workflow</code>, <code>tenant</code>, <code>paused</code>
   * @return the schedules
   */
  public List<Schedule> list(Map<String, ?> query) {
    return Pages.all(query, part -> calls.listSchedules(part, CallOptions.DEFAULT));
  }

  /**
   * One.
   *
   * @param id its id
   * @return the schedule
   */
  public Schedule get(String id) {
    return calls.getSchedule(id, CallOptions.DEFAULT);
  }

  /**
   * Replaces the schedule.
   *
   * @param id its id
   * @param schedule the new schedule
   * @return the schedule
   */
  public Schedule replace(String id, ScheduleRequest schedule) {
    return calls.replaceSchedule(id, schedule, CallOptions.DEFAULT);
  }

  /**
   * Deletes it.
   *
   * @param id its id
   */
  public void delete(String id) {
    calls.deleteSchedule(id, CallOptions.DEFAULT);
  }

  /**
   * Pauses it.
   *
   * @param id its id
   * @return the schedule
   */
  public Schedule pause(String id) {
    return calls.pauseSchedule(id, CallOptions.DEFAULT);
  }

  /**
   * Ends a pause.
   *
   * @param id its id
   * @return the schedule
   */
  public Schedule resume(String id) {
    return calls.resumeSchedule(id, CallOptions.DEFAULT);
  }

  /**
   * When it starts next.
   *
   * @param id its id
   * @param count how many times
   * @return the times
   */
  public Preview preview(String id, int count) {
    return calls.previewSchedule(id, Map.of("count", count), CallOptions.DEFAULT);
  }

  /**
   * Starts its workflow now, in addition to its slots.
   *
   * @param id its id
   * @return the id of the run
   */
  public String run(String id) {
    return calls.runSchedule(id, CallOptions.DEFAULT).executionId();
  }
}
