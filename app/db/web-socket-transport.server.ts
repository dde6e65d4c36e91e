import type { WebSocketLikeConstructor } from "@supabase/supabase-js";
import WebSocket from "ws";
import { z } from "zod";

/** supabase-js needs a WebSocket class, which Node 20 lacks. `ws` works but types its events differently: hence this. */
export const webSocketTransport = z
  .custom<WebSocketLikeConstructor>((value) => typeof value === "function")
  .parse(WebSocket);
