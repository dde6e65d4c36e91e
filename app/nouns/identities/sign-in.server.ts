import { randomBytes } from "node:crypto";
import type { Database } from "~/db/database.server";
import type { Env } from "~/env.server";
import type { OidcSettings } from "~/env-oidc.server";
import { createAccount } from "~/nouns/accounts/create-account.server";
import { createSession, type NewSession, type SigningInBrowser } from "~/nouns/accounts/log-in.server";
import { findLoginIdentity } from "~/nouns/accounts/operations.server";
import { setPassword } from "~/nouns/accounts/passwords.server";
import { withInvitation } from "~/nouns/products/invitations.server";
import { usernameSchema } from "~/wire/accounts/contract";
import { ContractError } from "~/wire/errors";
import { findIdentityAccount, keepIdentity, linkIdentity } from "./operations.server";
import type { ProvenPerson } from "./provider.server";
import { seal } from "./seal.server";

export interface SignInContext {
  database: Database;
  env: Pick<Env, "registration" | "sessionSecrets">;
  settings: OidcSettings;
  browser: SigningInBrowser;
}

/** Signs in a person proven by the provider: with the linked account, the one with their address, or a new one. */
export async function signInByProvider(
  context: SignInContext,
  person: ProvenPerson,
  invitationCode: string | undefined,
): Promise<NewSession> {
  requireAllowedDomain(person, context.settings);
  const { issuer, subject, verifiedEmail: verified_email } = person;
  const { database } = context;
  const found = await findIdentityAccount(database, { issuer, subject, verified_email });
  if (found.linked) return enter(context, person, found.linked);
  if (found.is_connected_otherwise) {
    const message = `The account with the address ${verified_email} is connected to another account at the provider. Ask an administrator to reset its password, which disconnects it.`;
    throw new ContractError(409, message);
  }
  if (found.same_address) {
    // Who made the account need not be who owns the address. Their password must stop working.
    await setPassword(database, found.same_address, randomPassword());
    await link(context, person, { account: found.same_address, by_address: true });
    return enter(context, person, found.same_address);
  }
  return signUp(context, person, invitationCode);
}

/** Links the provider account with the one signed in here. */
export async function connectToProvider(context: SignInContext, person: ProvenPerson, account: string): Promise<void> {
  requireAllowedDomain(person, context.settings);
  await link(context, person, { account, by_address: false });
  await keep(context, person);
}

async function link(
  { database, browser }: SignInContext,
  { issuer, subject }: ProvenPerson,
  whose: { account: string; by_address: boolean },
) {
  await linkIdentity(database, { issuer, subject, ip: browser.address, ...whose });
}

async function signUp(context: SignInContext, person: ProvenPerson, code: string | undefined): Promise<NewSession> {
  const { database, env } = context;
  const email = person.verifiedEmail;
  if (email === null) throw new ContractError(403, unverified);
  const isOpen = env.registration === "open" || (env.registration === "invite" && code);
  if (!isOpen) {
    const how = env.registration === "invite" ? "an invitation link" : "an account";
    const message = `No account here has the address ${email}. Ask an administrator for ${how}.`;
    throw new ContractError(403, message);
  }
  const make = () => makeAccount(context, person, email);
  return enter(context, person, await withInvitation(database, code, make));
}

async function makeAccount(context: SignInContext, person: ProvenPerson, email: string) {
  const { database } = context;
  const username = await freeUsername(database, person.wantedName ?? email);
  const { id } = await createAccount(database, { username, email, password: randomPassword() });
  await link(context, person, { account: id, by_address: false });
  return id;
}

/** Derives a free username from the name at the provider, or the part before the @. */
async function freeUsername(database: Database, wanted: string): Promise<string> {
  const [before = ""] = wanted.split("@");
  const plain = before.normalize("NFKD").replace(/[^A-Za-z0-9._-]/g, "");
  const start = plain.replace(/^[._-]+/, "").slice(0, 32);
  const named = usernameSchema.safeParse(start).data;
  if (named !== undefined) {
    const { user_id: owner } = await findLoginIdentity(database, { identifier: named });
    if (owner === null) return named;
  }
  return `${start || "user"}-${randomBytes(3).toString("hex")}`;
}

/** Stores the provider's answer before the session starts: that restores an account that had ended there. */
async function enter(context: SignInContext, person: ProvenPerson, account: string) {
  await keep(context, person);
  return createSession(context.database, account, context.browser);
}

async function keep({ database, env }: SignInContext, person: ProvenPerson) {
  const { issuer, subject, refreshToken, isAdmin: is_admin } = person;
  const refresh_token = refreshToken && (await seal("refresh token", refreshToken, env.sessionSecrets));
  await keepIdentity(database, { issuer, subject, refresh_token, is_admin });
}

function requireAllowedDomain({ verifiedEmail }: ProvenPerson, settings: OidcSettings): void {
  if (settings.allowedDomains.length === 0) return;
  if (verifiedEmail === null) throw new ContractError(403, unverified);
  if (settings.allowedDomains.includes(verifiedEmail.split("@").at(-1) ?? "")) return;
  const message = `Addresses like ${verifiedEmail} may not sign in here. Use one that ends in @${settings.allowedDomains.join(" or @")}.`;
  throw new ContractError(403, message);
}

const unverified = "Your email address is not verified at the identity provider. Verify it there, then sign in again.";

const randomPassword = (): string => randomBytes(32).toString("base64url");
