// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;

/**
 * A recently active worker.
 *
 * @param build Build that it runs, if it reports one. May be null.
 * @param draining Whether it is being drained: it receives no more jobs and is asked to exit.
 * @param firstSeenAt firstSeenAt.
 * @param id id.
 * @param jobTypes jobTypes.
 * @param kind <code>external</code>, or <code>pool</code> for Trunkline's own workers.
 * @param lastSeenAt lastSeenAt.
 * @param leased Number of leased jobs.
 * @param slots Maximum number of jobs that it has requested at once; for Trunkline's own workers, their concurrency. Absent for workers that receive jobs only through Kafka. May be null.
 * @param tenant Tenant that the worker's key is bound to. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Worker(
    String build,
    Boolean draining,
    Instant firstSeenAt,
    String id,
    List<String> jobTypes,
    String kind,
    Instant lastSeenAt,
    Integer leased,
    Integer slots,
    String tenant) {}
