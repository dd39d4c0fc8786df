import { lookup as systemLookup } from "node:dns";
import { Agent as PlainAgent } from "node:http";
import { Agent as TlsAgent } from "node:https";
import { type LookupFunction, Socket } from "node:net";
import type { AddressPolicy } from "./address-policy.ts";

/**
 * The rules of an HTTP agent: to which addresses it connects, and how long it keeps connections.
 */
export interface AgentRules {
  readonly policy: AddressPolicy;
  /** DNS lookup. @default the system's lookup */
  readonly lookup?: LookupFunction;
  /** Certificate authorities to trust instead of the default ones, as PEM. */
  readonly certificateAuthorities?: string;
  /** Maximum number of idle connections per host. */
  readonly idleMax: number;
  /** Milliseconds until an idle connection is closed. */
  readonly idleMs: number;
  /** Time limit for DNS lookup, connection and TLS handshake together, in milliseconds. */
  readonly connectMs: number;
}

/** Time after which Node.js tries the next address of a name, in milliseconds. */
const nextAddressMs = 1_000;

/**
 * HTTPS agent that connects directly (not through a proxy), with TLS 1.2 or newer, and only to
 * addresses that the policy allows.
 */
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
      // The option is set explicitly, because an environment variable
      // (`NODE_TLS_REJECT_UNAUTHORIZED`) could otherwise disable the check.
      rejectUnauthorized: true,
    });
    this.#rules = rules;
  }

  override createConnection(...call: Parameters<TlsAgent["createConnection"]>): Socket {
    return guardSocket(super.createConnection(...call), "secureConnect", this.#rules);
  }
}

/**
 * HTTP agent without TLS that connects only to addresses that the policy allows. Only the local
 * server allows plain HTTP.
 */
export class GuardedPlainAgent extends PlainAgent {
  readonly #rules: AgentRules;

  constructor(rules: AgentRules) {
    super(settings(rules));
    this.#rules = rules;
  }

  override createConnection(...call: Parameters<PlainAgent["createConnection"]>): Socket {
    return guardSocket(super.createConnection(...call), "connect", this.#rules);
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

/**
 * Wraps a DNS lookup. The wrapped lookup fails if the name has no address, or if the policy refuses
 * any of its addresses.
 */
function guardedLookup(policy: AddressPolicy, lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, foundAddresses) => {
      if (error !== null) return callback(error, "");
      const addresses = Array.isArray(foundAddresses) ? foundAddresses : [];
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

/**
 * Applies the connect time limit and the address policy to a new connection. Destroys the socket if
 * it is not ready in time, or if the policy refuses the address to which it has connected.
 * @param ready the event of the socket that ends the connect time limit
 * @throws TypeError if the agent did not create a socket of Node.js
 */
function guardSocket(
  candidate: unknown,
  ready: "connect" | "secureConnect",
  rules: AgentRules,
): Socket {
  if (!(candidate instanceof Socket))
    throw new TypeError(
      "The HTTP agent must create a net.Socket of Node.js, because the address policy can check only such sockets.",
    );
  const socket = candidate;
  const limit = setTimeout(() => socket.destroy(new ConnectTimeout()), rules.connectMs);
  const stop = (): void => clearTimeout(limit);
  socket.once(ready, stop).once("close", stop);
  // Node.js starts to send in its own listeners. This listener is prepended, so that it destroys a
  // refused socket before Node.js sends anything.
  socket.prependOnceListener("connect", () => {
    if (!rules.policy.allows(socket.remoteAddress ?? "")) socket.destroy(new AddressRefused());
  });
  return socket;
}
