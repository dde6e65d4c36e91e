import { AllowedHosts } from "./allowed";
import { openProxy } from "./proxy";
import { hostOf, type Reach } from "./reach";

interface NetworkWish {
  reaches: readonly Reach[];
  /** Asked for at once, where they are not among those. */
  wanted: readonly Reach[];
  service: URL;
  /** Called once for each host that was refused, with what was said of it, and what lets it through from then on. */
  refused(host: string, sentence: string, allow: () => void): void;
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
  const tell = (host: string, port: number, sentence: string): void => {
    const name = `${host}:${port}`;
    if (told.has(name) || told.size >= mostRefused) return;
    told.add(name);
    refused(name, sentence, () => allowed.add({ host: hostOf(host), port, source: "person" }));
  };
  const proxy = await openProxy({ allowed, service, refused: tell });
  for (const { host, port } of wanted.slice(0, mostWanted)) {
    if (!allowed.isPersons(host, port)) tell(host, port, ".backloom.yml names it.");
  }
  return { ...proxy, ports: allowed.loopbackPorts() };
}

/** Whoever tries one host after the other fills no page. */
const mostRefused = 50;
/** Nor does a repository fill the inbox of its person. */
const mostWanted = 10;
