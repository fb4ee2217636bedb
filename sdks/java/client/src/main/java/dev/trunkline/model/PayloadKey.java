// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * A key for payloads, without the key itself.
 *
 * @param createdAt createdAt.
 * @param current Whether new payloads are encrypted with it. Other keys only decrypt.
 * @param id id.
 * @param sealedWith Name of the key in <code>secrets.keys</code> that encrypts this key.
 * @param usable Whether the responding server has that key.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record PayloadKey(
    Instant createdAt,
    Boolean current,
    String id,
    String sealedWith,
    Boolean usable) {}
