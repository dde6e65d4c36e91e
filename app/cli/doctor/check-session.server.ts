import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Database, SupabaseConnection } from "~/db/database.server";
import { createAccount } from "~/nouns/accounts/create-account.server";
import { randomPassword } from "~/nouns/accounts/random-password";
import { type Check, failed, passed, reasonOf } from "~/server/check";
import { changeEventName, topics } from "~/wire/events";

/** Milliseconds. An idle Realtime needs half a minute and drops what was sent before, so the event is repeated. */
const patience = 60_000;
const probeEvery = 2_000;

/** Checks a user's path with a temporary account: sign in, Data API, private topic, one event. Always removes it. */
export async function checkSession(database: Database): Promise<Check[]> {
  if ((await database.authSettings())?.external.email === false) {
    const message = "not asked: email and password are switched off in Supabase Auth";
    return [passed("token", message), passed("realtime", message)];
  }
  const password = randomPassword();
  const username = `doctor-${randomUUID().slice(0, 8)}`;
  const email = `${username}@localhost.localdomain`;
  let userId: string | undefined;
  try {
    userId = (await createAccount(database, { username, email, password, is_demo: true })).id;
    const client = database.publicClient();
    const token = await checkToken(database, client, { email, password });
    const events = token.ok ? await checkRealtime(database, client, userId) : undefined;
    return [token, events ?? failed("realtime", "Skipped: sign-in must work first")];
  } catch (error) {
    return [failed("token", `Supabase Auth refused a new account: ${reasonOf(error)}`)];
  } finally {
    if (userId !== undefined) await database.secretClient.auth.admin.deleteUser(userId);
  }
}

async function checkToken(
  database: Database,
  client: SupabaseConnection,
  { email, password }: { email: string; password: string },
): Promise<Check> {
  const name = "token";
  // As the forms do, which a CAPTCHA does not stop; then as a user's own program.
  const signIn = await database.signInClient("").auth.signInWithPassword({ email, password });
  const opened = signIn.error ? signIn : await client.auth.setSession(signIn.data.session);
  if (opened.error) {
    const { code = "no code", message } = opened.error;
    return failed(name, `Supabase Auth refused the new account: ${code}: ${message}`);
  }
  const read = await client.from("products").select("id").limit(1);
  if (read.error) return failed(name, `The Data API refused the token of Auth: ${read.error.message}`);
  return passed(name, "a user's token is accepted by the Data API");
}

async function checkRealtime(database: Database, client: SupabaseConnection, userId: string): Promise<Check> {
  const name = "realtime";
  await client.realtime.setAuth();
  let isOver = false;
  let giveUp: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const late = `waited ${patience / 1000} seconds and sent a probe every two of them`;
      giveUp = setTimeout(() => reject(new Error(late)), patience);
      const probe = () => sendProbes(database, userId, () => isOver).catch(reject);
      const topic = topics.user(userId);
      if (database.upstream) {
        const lost = () => reject(new Error("the database is not followed"));
        database.upstream.join(topic, { joined: probe, lost, message: () => resolve() });
        return;
      }
      const channel = client.channel(topic, { config: { private: true } });
      channel.on("broadcast", { event: changeEventName }, () => resolve());
      channel.subscribe((status, error) => {
        if (status === "SUBSCRIBED") probe();
        if (status === "CHANNEL_ERROR") reject(error ?? new Error("the channel was refused"));
      });
    });
    return passed(name, "joined a private topic and saw an event");
  } catch (error) {
    return failed(name, `No event arrived: ${reasonOf(error)}; check the realtime settings`);
  } finally {
    isOver = true;
    clearTimeout(giveUp);
    await client.removeAllChannels();
    await client.realtime.disconnect();
  }
}

async function sendProbes(database: Database, userId: string, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await database.call("send_probe", { p_user_id: userId });
    await pause(probeEvery, undefined, { ref: false });
  }
}
