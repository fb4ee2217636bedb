// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.List;

/**
 * Reports on leased jobs.
 *
 * @param <T> what it holds
 * @param jobs the reports
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Reports<T>(List<T> jobs) {}
