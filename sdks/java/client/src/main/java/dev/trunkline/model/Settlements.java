// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.List;

/**
 * Reports that end attempts.
 *
 * @param <T> what it holds
 * @param jobs the reports
 * @param poll a poll for the next jobs. May be null.
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Settlements<T>(List<T> jobs, Poll poll) {}
