import { expect, it } from "vitest";
import { locationOf } from "../../../worker/forge/location";

it.each([
  ["https://github.com/acme/shop.git", "github", "https://api.github.com", "acme/shop"],
  ["git@github.com:acme/shop.git", "github", "https://api.github.com", "acme/shop"],
  ["ssh://git@gitlab.com/a/group/shop", "gitlab", "https://gitlab.com/api/v4", "a/group/shop"],
  ["https://ada:pw@codeberg.org/a/b.git", "forgejo", "https://codeberg.org/api/v1", "a/b"],
  ["git@gitlab.example.com:a/b.git", "gitlab", "https://gitlab.example.com/api/v4", "a/b"],
  ["https://gitea.example.com:8443/a/b", "forgejo", "https://gitea.example.com:8443/api/v1", "a/b"],
  ["https://github.example.com/a/b", "github", "https://github.example.com/api/v3", "a/b"],
])("The Git host is known by the address of the remote: %s", (remote, kind, api, project) => {
  expect(locationOf(remote, undefined, undefined)).toMatchObject({ kind, api, project });
  expect(JSON.stringify(locationOf(remote, undefined, undefined))).not.toContain("pw");
});

it("The Git host is what .backloom.yml says, at the remote's own scheme, host and port", () => {
  const remote = "http://127.0.0.1:3999/acme/shop.git";
  expect(locationOf(remote, "gitlab", undefined).api).toBe("http://127.0.0.1:3999/api/v4");
  const wish = { kind: "forgejo", url: "http://127.0.0.1:4000/code" } as const;
  expect(locationOf("ssh://git@127.0.0.1/acme/shop", wish, undefined)).toMatchObject({
    api: "http://127.0.0.1:4000/code/api/v1",
    project: "acme/shop",
  });
});

it("The Git host is the person's BACKLOOM_FORGE_URL before what the repository says", () => {
  const given = "http://localhost:3999";
  expect(locationOf("git@github.com:acme/shop", undefined, given)).toMatchObject({
    kind: "github",
    api: "http://localhost:3999/api/v3",
  });
});

it.each([
  ["https://code.example.com/a/b", undefined, 'write "forge: github"'],
  ["/srv/git/shop.git", "github", "no remote on a Git host"],
  ["http://code.example.com/a/b", "forgejo", "without TLS"],
  ["git@code.example.com:a/b", { kind: "github", url: "https://evil.example" }, "BACKLOOM_FORGE_URL"],
] as const)("The remote %s is refused with the setting %j", (remote, wish, message) => {
  expect(() => locationOf(remote, wish, undefined)).toThrow(message);
});
