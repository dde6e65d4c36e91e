import { expect, it } from "vitest";
import { isPrivateAddress, requireDestination } from "~/outgoing/destination.server";

it.each(
  `127.0.0.1 | 10.1.2.3 | 172.31.255.1 | 192.168.0.10 | 169.254.169.254 | 100.64.0.1 | 0.0.0.0 | ::1 | :: |
  fd00::1 | fe80::1 | ::ffff:10.0.0.1 | ::ffff:7f00:1 | ::7f00:1 | 2002:7f00:1:: | 64:ff9b::a00:1 |
  64:ff9b:1::a00:1 | 2001::7f00:1 | fec0::1 | 192.0.2.1 | not an address`.split(/\s*\|\s*/),
)("D6: The address %s is private", (address) => {
  expect(isPrivateAddress(address)).toBe(true);
});

it.each(["93.184.216.34", "8.8.8.8", "2606:4700::1111"])("The address %s is public", (address) => {
  expect(isPrivateAddress(address)).toBe(false);
});

it.each([
  "http://example.com/hook",
  "ftp://example.com",
  "javascript:alert(1)",
  "https://user:secret@example.com",
  "https://127.0.0.1/hook",
  "https://[::1]/hook",
  "https://2130706433/hook",
  "https://0x7f.1/hook",
  "https://127.0.0.1;.example.com/x",
  "https://127.0.0.1`.example.com/x",
  "https://127.0.0.1{.example.com/x",
  "nonsense",
])("D6: A request to %s is refused", (address) => {
  expect(() => requireDestination(address, false)).toThrow();
});

it("A request to a public name over https is allowed", () => {
  expect(requireDestination("https://hooks.example.com/a?b=c", false).hostname).toBe("hooks.example.com");
});
