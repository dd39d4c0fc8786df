import { lookup as systemLookup } from "node:dns";
import { Agent as PlainAgent } from "node:http";
import { Agent as TlsAgent } from "node:https";
import { type LookupFunction, Socket } from "node:net";
import type { AddressPolicy } from "./address-policy.ts";

export interface AgentRules {
  readonly policy: AddressPolicy;
  readonly lookup?: LookupFunction;
  /** Trusted instead of the usual ones, as PEM. */
  readonly certificateAuthorities?: string;
  /** Idle connections kept at most. */
  readonly idleMax: number;
  readonly idleMs: number;
  /** Name lookup, connection and TLS together. */
  readonly connectMs: number;
}

/** One after another of a name's addresses is tried after so long, the last without a limit. */
const nextAddressMs = 1_000;

/** Connections over TLS 1.2 or newer, to addresses that the policy allows, and to no proxy. */
export class GuardedTlsAgent extends TlsAgent {
  readonly #rules: AgentRules;

  constructor(rules: AgentRules) {
    const { certificateAuthorities: ca } = rules;
    const trust = ca === undefined ? {} : { ca };
    super({
      ...settings(rules),
      ...trust,
      ALPNProtocols: ["http/1.1"],
      minVersion: "TLSv1.2",
      // Said, so that no environment variable says something else.
      rejectUnauthorized: true,
    });
    this.#rules = rules;
  }

  override createConnection(...call: Parameters<TlsAgent["createConnection"]>): Socket {
    return watched(super.createConnection(...call), "secureConnect", this.#rules);
  }
}

/** Connections of plain HTTP, which the local world alone allows. */
export class GuardedPlainAgent extends PlainAgent {
  readonly #rules: AgentRules;

  constructor(rules: AgentRules) {
    super(settings(rules));
    this.#rules = rules;
  }

  override createConnection(...call: Parameters<PlainAgent["createConnection"]>): Socket {
    return watched(super.createConnection(...call), "connect", this.#rules);
  }
}

class AddressRefused extends Error {
  readonly code = "ADDRESS_REFUSED";
}

class ConnectTimeout extends Error {
  readonly code = "CONNECT_TIMEOUT";
}

const settings = ({ policy, lookup = systemLookup, idleMax, idleMs }: AgentRules) => ({
  keepAlive: true,
  maxFreeSockets: idleMax,
  timeout: idleMs,
  lookup: guardedLookup(policy, lookup),
  autoSelectFamilyAttemptTimeout: nextAddressMs,
});

/** Refuses a name when any of its addresses is refused. */
function guardedLookup(policy: AddressPolicy, lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, "");
      const addresses = Array.isArray(found) ? found : [];
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => policy.allows(address))) {
        return callback(new AddressRefused(), "");
      }
      return options.all === true
        ? callback(null, addresses)
        : callback(null, first.address, first.family);
    });
  };
}

/** Holds a new connection to the time for connecting, and to the policy whatever way it was made. */
function watched(made: unknown, ready: "connect" | "secureConnect", rules: AgentRules): Socket {
  if (!(made instanceof Socket)) throw new TypeError("An agent made something else than a socket.");
  const socket = made;
  const limit = setTimeout(() => socket.destroy(new ConnectTimeout()), rules.connectMs);
  const stop = (): void => clearTimeout(limit);
  socket.once(ready, stop).once("close", stop);
  // Ahead of node's own listeners, which begin to send.
  socket.prependOnceListener("connect", () => {
    if (!rules.policy.allows(socket.remoteAddress ?? "")) socket.destroy(new AddressRefused());
  });
  return socket;
}
