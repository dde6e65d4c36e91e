import type { WebSocketLikeConstructor } from "@supabase/supabase-js";
import WebSocket from "ws";
import { z } from "zod";

/**
 * supabase-js insists on a WebSocket class, and Node 20 has none. `ws` does what is asked; only its
 * event types are declared differently, so the compiler is told once, here.
 */
export const webSocketTransport = z
  .custom<WebSocketLikeConstructor>((value) => typeof value === "function")
  .parse(WebSocket);
