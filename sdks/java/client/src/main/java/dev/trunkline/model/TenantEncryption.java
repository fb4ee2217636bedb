// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * The encryption of a tenant.
 *
 * @param enabled Whether payloads are encrypted from now on. Payloads that are already stored do not change.
 * @param keys Keys of the tenant, newest first.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record TenantEncryption(
    Boolean enabled,
    List<PayloadKey> keys) {}
