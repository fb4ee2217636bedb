// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;

/**
 * The caller and the server.
 *
 * @param actor Name under which the audit log lists the caller.
 * @param can Allowed actions, such as <code>jobs.cancel</code>.
 * @param groups Groups that the caller belongs to in user tasks.
 * @param key API key ID, for callers with a key. May be null.
 * @param payloads Whether responses to the caller include payloads.
 * @param person Person that the caller represents in user tasks. May be null.
 * @param role Role.
 * @param scopes Scopes that restrict the role; empty for none.
 * @param server The server.
 * @param tenant Tenant that the caller is bound to. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Me(
    String actor,
    List<String> can,
    List<String> groups,
    String key,
    Boolean payloads,
    String person,
    Role role,
    List<Map<String, JsonNode>> scopes,
    MeServer server,
    String tenant) {}
