import { isIP } from "node:net";
import { Cron } from "croner";
import { z } from "zod";
import { loopbackNames } from "./own-origins.server";

/** Schemas of environment variables. Each message says what the value must be. */

export const port = z
  .string()
  .regex(/^\d{1,5}$/, "must be a port number from 0 to 65535, for example 3000")
  .transform(Number)
  .refine((value) => value <= 65_535, "must be a port number from 0 to 65535, for example 3000");

/** The one reader of addresses. Says what a password holds that ends the address too early. */
function address(must: string, fits: (url: URL) => boolean) {
  return z.string().superRefine((value, context) => {
    const unencoded = unencodedIn(value);
    if (unencoded !== undefined) {
      context.addIssue(
        `: the password holds characters such as ${unencoded} that must be percent-encoded (${percentOf(unencoded)})`,
      );
    } else if (!URL.canParse(value) || !fits(new URL(value))) context.addIssue(must);
  });
}

/** A character of a user or password that an address has another use for, if that is why it cannot be read. */
function unencodedIn(value: string): string | undefined {
  const [, login] = /^[a-z+]+:\/\/(.*)@/is.exec(value) ?? [];
  if (login === undefined) return undefined;
  if (/%(?![\da-f]{2})/i.test(login)) return "%";
  return URL.canParse(value) && !login.includes("#") ? undefined : /[^\w.~!$&'()*+,;=:%-]/.exec(login)?.[0];
}

const percentOf = (letter: string) => `%${letter.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;

export const origin = address(
  "must be the address people open, like https://backlog.example.org",
  ({ protocol, pathname, search, hash }) => /^https?:$/.test(protocol) && pathname === "/" && !search && !hash,
).transform((value) => new URL(value).origin);

export const previewOrigin = z
  .string()
  .regex(
    /^https?:\/\/\*(\.[a-z\d]([a-z\d-]*[a-z\d])?)+(:\d{1,5})?\/?$/i,
    "must be an address whose first label is *, like https://*.previews.example.net",
  )
  .transform((value) => value.toLowerCase().replace(/\/$/, ""));

export const webAddress = address("must be an http or https address", ({ protocol }) =>
  /^https?:$/.test(protocol),
).transform((value) => value.replace(/\/+$/, ""));

export const issuer = address(
  "must be the https URL of the provider, as in its discovery document",
  ({ protocol, hostname, search, hash }) =>
    (protocol === "https:" || (protocol === "http:" && loopbackNames.includes(hostname))) &&
    search === "" &&
    hash === "",
);

const sslModes = ["disable", "no-verify", "prefer", "require", "verify-ca", "verify-full"];

export const postgresAddress = address("must be a postgresql:// connection string", ({ protocol }) =>
  /^postgres(ql)?:$/.test(protocol),
).refine(
  (value) => {
    const [, mode = "verify-full"] = /[?&]sslmode=([^&]*)/.exec(value) ?? [];
    return sslModes.includes(mode);
  },
  `must have one of these as its sslmode: ${sslModes.join(", ")}`,
);

export const list = z.string().transform((value) =>
  value
    .split(/[,\n]/)
    .map((item) => item.trim())
    .filter((item) => item !== ""),
);

export const secret = z.string().min(32, "must have at least 32 characters (openssl rand -base64 32)");

export const bearerSecret = z
  .string()
  .trim()
  .min(8, "must have at least 8 characters")
  .regex(/^\P{Cc}*$/u, "must be one line without control characters");

/** A key of web push: so many characters of base64url. */
export const vapidKey = (length: number) =>
  z.string().regex(new RegExp(`^[\\w-]{${length}}=?$`), "must be a key of npx web-push generate-vapid-keys");

export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

export const count = (smallest: number, largest = 999_999_999) =>
  z
    .string()
    .regex(/^\d{1,9}$/, "must be a whole number")
    .transform(Number)
    .refine((value) => value >= smallest, `must be at least ${smallest}`)
    .refine((value) => value <= largest, `must be at most ${largest}`);

function isRange(text: string): boolean {
  const [address = "", bits, ...more] = text.split("/");
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return more.length === 0 && /^\d+$/.test(bits ?? "0") && Number(bits ?? 0) <= most;
}

export const proxy = z
  .string()
  .refine(
    (value) => value === "loopback" || isRange(value),
    "must list addresses or ranges of proxies, like 10.0.0.0/8, ::1 or loopback",
  );

/** A size such as 500MB or 2GB, in bytes. */
export const bytes = z
  .string()
  .regex(/^\d{1,6}(MB|GB)$/, "must be a size like 500MB or 2GB")
  .transform((value) => Number.parseInt(value, 10) * (value.endsWith("GB") ? 1024 ** 3 : 1024 ** 2));

export const cronPattern = z.string().refine((value) => {
  try {
    return new Cron(value, { timezone: "UTC", paused: true }).nextRun() !== null;
  } catch {
    return false;
  }
}, "must be a cron pattern in UTC, for example 0 2 * * * for every night at two");
