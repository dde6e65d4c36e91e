import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { addressLimitKey, createAddressReader } from "~/http/client-address.server";

function addressOf(trust: string[], peer: string, forwarded?: string): string {
  const socket = new Socket();
  Object.defineProperty(socket, "remoteAddress", { value: peer });
  const request = new IncomingMessage(socket);
  if (forwarded !== undefined) request.headers["x-forwarded-for"] = forwarded;
  return createAddressReader(trust)(request);
}

describe("D9 the client's address", () => {
  it("A client's address is the socket's without a trusted proxy, no matter what X-Forwarded-For says", () => {
    expect(addressOf([], "203.0.113.9", "1.2.3.4")).toBe("203.0.113.9");
    expect(addressOf(["10.0.0.0/8"], "203.0.113.9", "1.2.3.4")).toBe("203.0.113.9");
  });

  it("Behind trusted proxies, a client's address is the nearest stranger, read from the right", () => {
    const trust = ["loopback", "10.0.0.0/8"];
    expect(addressOf(trust, "127.0.0.1", "6.6.6.6, 1.2.3.4")).toBe("1.2.3.4");
    expect(addressOf(trust, "127.0.0.1", "6.6.6.6, 1.2.3.4, 10.1.2.3")).toBe("1.2.3.4");
    expect(addressOf(trust, "::1", "2001:db8::7")).toBe("2001:db8::7");
    expect(addressOf(trust, "127.0.0.1", "1.2.3.4:5678")).toBe("1.2.3.4");
    expect(addressOf(trust, "127.0.0.1", "[2001:db8::7]:5678")).toBe("2001:db8::7");
  });

  it("A client's address is the proxy's when X-Forwarded-For is nonsense", () => {
    expect(addressOf(["loopback"], "127.0.0.1", "unknown, ' or 1=1")).toBe("127.0.0.1");
    expect(addressOf(["loopback"], "127.0.0.1", undefined)).toBe("127.0.0.1");
  });

  it("An IPv4 address within IPv6 is seen as IPv4", () => {
    expect(addressOf([], "::ffff:192.0.2.1")).toBe("192.0.2.1");
    expect(addressOf(["loopback"], "::ffff:127.0.0.1", "1.2.3.4")).toBe("1.2.3.4");
  });
});

it.each([
  ["192.0.2.1", "192.0.2.1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
])("The address %s counts as %s for limits", (address, key) => expect(addressLimitKey(address)).toBe(key));
