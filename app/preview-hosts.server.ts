/** The host names of previews: each has its ID before a suffix that is the same for all. */
export interface PreviewHosts {
  isSecure: boolean;
  /** For example `.previews.example.net`. */
  suffix: string;
  originOf(previewId: string): string;
}

/** Reads `https://*.previews.example.net`, as the environment has checked it. */
export function previewHostsOf(pattern: string): PreviewHosts {
  const { protocol, hostname } = new URL(pattern.replace("*", "x"));
  const originOf = (previewId: string) => new URL(pattern.replace("*", previewId)).origin;
  return { isSecure: protocol === "https:", suffix: hostname.slice(1), originOf };
}

/** Whether a host, or that of an origin, belongs to previews. */
export function isPreviewHost({ suffix }: PreviewHosts, host: string | undefined): boolean {
  return hostnameOf(host).endsWith(suffix);
}

/** The ID that a host names; empty if that is not the form of one. */
export function previewIdOf({ suffix }: PreviewHosts, host: string | undefined): string {
  const id = hostnameOf(host).slice(0, -suffix.length);
  return /^[\da-f]{32}$/.test(id) ? id : "";
}

function hostnameOf(host = ""): string {
  const [, name = ""] = /^(?:https?:\/\/)?([a-z0-9._-]+)(?::\d{1,5})?$/i.exec(host) ?? [];
  return name.toLowerCase();
}
