import { randomUUID } from "node:crypto";
import type { Database, SupabaseConnection } from "~/db/database.server";
import { createAccount } from "~/domain/accounts/create-account.server";
import { randomPassword } from "../secret-words";
import { type Check, failed, passed, reasonOf } from "./check";

/** How long an event may take before the doctor gives up. */
const patience = 10_000;

/**
 * Walks the way of a user with an account made for the moment: sign in, read over the Data API with the token, join the
 * user's private topic, see one event. The account is removed again whatever happens.
 */
export async function checkSession(database: Database): Promise<Check[]> {
  const password = randomPassword();
  const username = `doctor-${randomUUID().slice(0, 8)}`;
  const email = `${username}@localhost.localdomain`;
  let userId: string | undefined;
  try {
    userId = (await createAccount(database, { username, email, password, is_demo: true })).id;
    const client = database.publicClient();
    const token = await checkToken(client, email, password);
    const events = token.ok ? await checkRealtime(database, client, userId) : undefined;
    return [token, events ?? failed("realtime", "Not looked at: signing in comes first")];
  } catch (error) {
    return [failed("token", `Supabase Auth refused a new account: ${reasonOf(error)}`)];
  } finally {
    if (userId !== undefined) await database.secretClient.auth.admin.deleteUser(userId);
  }
}

async function checkToken(
  client: SupabaseConnection,
  email: string,
  password: string,
): Promise<Check> {
  const name = "token";
  const signIn = await client.auth.signInWithPassword({ email, password });
  if (signIn.error) return failed(name, `Supabase Auth: ${signIn.error.message}`);
  const read = await client.from("products").select("id").limit(1);
  if (read.error) {
    return failed(name, `The Data API refused the token of Auth: ${read.error.message}`);
  }
  return passed(name, "a user's token is accepted by the Data API");
}

async function checkRealtime(
  database: Database,
  client: SupabaseConnection,
  userId: string,
): Promise<Check> {
  const name = "realtime";
  await client.realtime.setAuth();
  const channel = client.channel(`user:${userId}`, { config: { private: true } });
  try {
    await withPatience((resolve, reject) => {
      channel.on("broadcast", { event: "change" }, () => resolve());
      channel.subscribe((status, error) => {
        if (status === "SUBSCRIBED") sendProbe(database, userId).catch(reject);
        if (status === "CHANNEL_ERROR") reject(error ?? new Error("the channel was refused"));
      });
    });
    return passed(name, "joined a private topic and saw an event");
  } catch (error) {
    return failed(name, `No event arrived: ${reasonOf(error)}; check the realtime settings`);
  } finally {
    await client.removeChannel(channel);
    await client.realtime.disconnect();
  }
}

async function sendProbe(database: Database, userId: string): Promise<void> {
  await database.call("send_probe", { p_user_id: userId });
}

function withPatience(
  start: (resolve: () => void, reject: (error: Error) => void) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("waited ten seconds")), patience);
    const settle = (done: () => void): void => {
      clearTimeout(timer);
      done();
    };
    start(
      () => settle(resolve),
      (error) => settle(() => reject(error)),
    );
  });
}
