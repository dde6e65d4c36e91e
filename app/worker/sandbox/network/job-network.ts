import { AllowedHosts } from "./allowed";
import { openProxy } from "./proxy";
import { hostOf, type Reach } from "./reach";

/** A host that was refused, and what lets it through from then on. */
export interface RefusedHost {
  host: string;
  /** What was said of it. */
  sentence: string;
  /** Only a lockfile names it, and it leads to this machine or its network. */
  isNear: boolean;
  allow(): void;
}

interface NetworkWish {
  reaches: readonly Reach[];
  /** Asked for at once, where they are not among those. */
  wanted: readonly Reach[];
  service: URL;
  /** Called once for each host. */
  refused(host: RefusedHost): void;
}

export interface JobNetwork {
  socket: string;
  /** Ports of this machine that lead where they lead outside. */
  ports: readonly number[];
  close(): Promise<void>;
}

/** The network of one job: the proxy, and what it lets through. */
export async function openJobNetwork({
  reaches,
  wanted,
  service,
  refused,
}: NetworkWish): Promise<JobNetwork> {
  const allowed = new AllowedHosts(reaches, service);
  const told = new Set<string>();
  const tell: Parameters<typeof openProxy>[0]["refused"] = (host, port, { refusal, isNear }) => {
    const name = `${host}:${port}`;
    if (told.has(name) || told.size >= mostRefused) return;
    told.add(name);
    const allow = () => allowed.add({ host: hostOf(host), port, source: "person" });
    refused({ host: name, sentence: refusal, isNear, allow });
  };
  const proxy = await openProxy({ allowed, service, refused: tell });
  for (const { host, port } of wanted.slice(0, mostWanted)) {
    const refusal = ".backloom.yml names it.";
    if (!allowed.isPersons(host, port))
      tell(host, port, { refusal, isListed: false, isNear: false });
  }
  return { ...proxy, ports: allowed.loopbackPorts() };
}

/** Whoever tries one host after the other fills no page. */
const mostRefused = 50;
/** Nor does a repository fill the inbox of its person. */
const mostWanted = 10;
