import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { type AllowedHost, hostOf, networkOf } from "../../base/hosts";

/** The address to connect to, or why it is refused. */
export type Verdict =
  | { address: string }
  /** `isListed`: the name is allowed, but its address is not. The user is not asked about these. */
  | { refusal: string; isListed: true }
  | Unlisted;

export interface Unlisted {
  refusal: string;
  isListed: false;
  /** Only a lockfile names it, and it resolves to this machine or its network. */
  isNear: boolean;
}

/** Allowed hosts, including those the user allows while the job runs. */
export class AllowedHosts {
  private readonly hosts = new Map<string, AllowedHost>();

  constructor(
    hosts: readonly AllowedHost[],
    private readonly service: URL,
  ) {
    for (const allowed of hosts) this.add(allowed);
  }

  add(allowed: AllowedHost): void {
    const key = keyOf(allowed.host, allowed.port);
    const known = this.hosts.get(key);
    if (known === undefined || known.source !== "person") this.hosts.set(key, allowed);
  }

  /** Allowed ports of this machine; the sandbox's loopback forwards to them. */
  loopbackPorts(): number[] {
    const ports = [...this.hosts.values()].filter(({ host }) => host === "127.0.0.1" || host === "::1");
    const { protocol, hostname, port } = this.service;
    const isHere = protocol === "http:" && hostOf(hostname) === "127.0.0.1";
    const door = isHere ? [Number(port || 80)] : [];
    return [...new Set([...ports.map((allowed) => allowed.port), ...door])];
  }

  /** Resolves the name once and returns the checked address, so that the connection cannot go elsewhere. */
  async decide(name: string, port: number): Promise<Verdict> {
    const host = hostOf(name);
    const allowed = this.hosts.get(keyOf(host, port));
    const who = `${host.includes(":") ? `[${host}]` : host}:${port}`;
    if (allowed === undefined) return unlisted(who, "is not among the hosts that this job may reach");
    const addresses = isIP(host) ? [host] : await addressesOf(host);
    const [address] = addresses;
    if (address === undefined) return { refusal: `There is no host ${host}.`, isListed: true };
    const problem = this.problemOf(allowed, addresses);
    if (problem !== null) return { refusal: `${who} ${problem}`, isListed: true };
    // Lockfiles may allow public hosts only. For a private network the user must be asked.
    if (allowed.source === "lockfile" && addresses.some((one) => networkOf(one) !== "elsewhere")) {
      return unlisted(who, nearReason, true);
    }
    return { address };
  }

  private problemOf(allowed: AllowedHost, addresses: readonly string[]): string | null {
    const networks = addresses.map(networkOf);
    if (allowed.source !== "person" && this.isService(allowed)) {
      return "is the service itself: only its /mcp can be reached from a job.";
    }
    if (networks.includes("machine") && isIP(allowed.host) === 0) {
      return "stands for this machine itself: list 127.0.0.1 with the port if that is meant.";
    }
    if (allowed.source === "product" && networks.includes("link")) {
      return "stands for an address of this machine's own link.";
    }
    // Local services trust anyone who is on the machine, and the product's owner is not.
    if (allowed.source === "product" && networks.includes("machine")) {
      return "is this machine itself: its person can allow it with --net.";
    }
    if (allowed.source === "product" && networks.includes("network")) {
      return "stands for an address of this machine's network: its person can allow it with --net.";
    }
    return null;
  }

  isService({ host, port }: Pick<AllowedHost, "host" | "port">): boolean {
    const { hostname, protocol, port: given } = this.service;
    const own = given === "" ? (protocol === "https:" ? 443 : 80) : Number(given);
    return port === own && host === hostOf(hostname);
  }

  /** True if the user listed it. */
  isPersons(name: string, port: number): boolean {
    return this.hosts.get(keyOf(hostOf(name), port))?.source === "person";
  }
}

const nearReason = "is on this machine or its network, and only a lockfile names it";

function unlisted(who: string, why: string, isNear = false): Unlisted {
  const refusal = `${who} ${why}. The worker's user can allow it: start the worker with --net ${who}, or answer its question.`;
  return { refusal, isListed: false, isNear };
}

function keyOf(host: string, port: number): string {
  return `${host} ${port}`;
}

async function addressesOf(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}
