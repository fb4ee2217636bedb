// Connections: one at a time, replaced when it looks dead.
import { Client, credentials as Credentials } from "@grpc/grpc-js";
import type { ChannelCredentials } from "@grpc/grpc-js";
import { ConfigurationError } from "../errors.js";

const OPTIONS = {
  // A connection that answers no ping for so long is broken.
  "grpc.keepalive_time_ms": 20_000,
  "grpc.keepalive_timeout_ms": 10_000,
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": 2_000,
  // A new client is a new connection, also beside an old one to the same address.
  "grpc.use_local_subchannel_pool": 1,
  "grpc.max_receive_message_length": -1,
  "grpc.max_send_message_length": -1,
  "grpc.primary_user_agent": "trunkline-typescript",
};

/** A connection, for as long as a call needs it. */
export interface Use {
  client: Client;
  /** The call is over. */
  done(): void;
  /** Nobody seems to be there: new calls use another connection. */
  replace(): void;
}

interface Held {
  client: Client;
  users: number;
  isRetired: boolean;
}

export class Link {
  readonly address: string;
  private readonly credentials: ChannelCredentials;
  private current: Held | undefined;

  constructor(url: string, credentials?: ChannelCredentials) {
    const parts = URL.canParse(url) ? new URL(url) : undefined;
    if (!parts || !["http:", "https:"].includes(parts.protocol) || parts.hostname === "") {
      throw new ConfigurationError(`TRUNKLINE_GRPC_URL=${url}: write it as http://host:9090 or https://host:9090`);
    }
    const isSecure = parts.protocol === "https:";
    // An URL leaves the port out where it is that of its protocol.
    this.address = `${parts.hostname}:${parts.port || (isSecure ? "443" : "80")}`;
    this.credentials = credentials ?? (isSecure ? Credentials.createSsl() : Credentials.createInsecure());
  }

  use(): Use {
    this.current ??= { client: new Client(this.address, this.credentials, OPTIONS), users: 0, isRetired: false };
    const held = this.current;
    held.users += 1;
    let isDone = false;
    return {
      client: held.client,
      done: () => {
        if (isDone) return;
        isDone = true;
        held.users -= 1;
        if (held.isRetired && held.users === 0) held.client.close();
      },
      replace: () => {
        if (this.current !== held) return;
        this.current = undefined;
        held.isRetired = true;
        if (held.users === 0) held.client.close();
      },
    };
  }

  close(): void {
    this.current?.client.close();
    this.current = undefined;
  }
}
