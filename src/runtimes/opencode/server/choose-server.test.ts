import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import type { ServerSettings } from "./choose-server.ts";
import { choosePort, chooseServer, localUrl, refuseOpenHost } from "./choose-server.ts";
import type { Probe } from "./probe-server.ts";

const byDefault: ServerSettings = {
  opencodeBin: "opencode",
  opencodeAttachUrl: "http://127.0.0.1:4096",
  opencodeAutoStart: true,
  opencodeServeHost: "127.0.0.1",
  opencodeServePort: 4096,
};
const named = { ...byDefault, opencodeAttachUrl: "http://127.0.0.1:5000" };
const noStart = { ...byDefault, opencodeAutoStart: false };

const healthy: Probe = { is: "healthy", version: "1.18.33" };
const foreign: Probe = { is: "foreign", why: "status 404" };
const unreachable: Probe = { is: "unreachable", why: "ECONNREFUSED" };

describe("the server to use", () => {
  test.each([byDefault, named, noStart])("is the one that answers", (settings) => {
    expect(chooseServer(healthy, settings, false)).toEqual({ do: "attach", version: "1.18.33" });
  });

  test.each<[string, Probe, ServerSettings]>([
    ["nothing listens there", unreachable, byDefault],
    ["nothing listens at the configured address", unreachable, named],
    ["nothing answers there", { is: "silent" }, byDefault],
    ["another program has the default address", foreign, byDefault],
    ["another server has the default address and a password", { is: "refused" }, byDefault],
  ])("is our own if %s", (_when, answer, settings) => {
    expect(chooseServer(answer, settings, false)).toEqual({ do: "start" });
  });

  test.each<[string, Probe, ServerSettings, boolean]>([
    ["opencode_too_old", { is: "healthy", version: "1.18.14" }, byDefault, false],
    ["opencode_password_refused", { is: "refused" }, named, false],
    ["opencode_password_refused", { is: "refused" }, byDefault, true],
    ["opencode_password_refused", { is: "refused" }, noStart, false],
    ["opencode_port_taken", foreign, named, false],
    ["opencode_port_taken", foreign, noStart, false],
    ["opencode_unreachable", unreachable, noStart, false],
    ["opencode_unreachable", { is: "silent" }, noStart, false],
  ])("needs a person's decision: %s", (code, answer, settings, hasPassword) => {
    expect(() => chooseServer(answer, settings, hasPassword)).toThrow(
      expect.objectContaining({ code, hint: expect.any(String) }),
    );
  });
});

describe("a host for our own server", () => {
  test.each(["127.0.0.1", "127.0.0.2", "::1", "localhost"])("%s needs no configured password", (host) => {
    expect(() => refuseOpenHost(host, false)).not.toThrow();
  });

  test.each(["0.0.0.0", "::", "192.168.1.5", "box.local"])("%s needs a configured password", (host) => {
    expect(() => refuseOpenHost(host, false)).toThrow(expect.objectContaining({ code: "opencode_host_not_loopback" }));
    expect(() => refuseOpenHost(host, true)).not.toThrow();
  });

  test.each([
    ["127.0.0.1", "http://127.0.0.1:4096"],
    ["0.0.0.0", "http://127.0.0.1:4096"],
    ["::", "http://[::1]:4096"],
    ["box.local", "http://box.local:4096"],
  ])("%s is reached at %s", (host, url) => {
    expect(localUrl(host, 4096)).toBe(url);
  });
});

describe("a port for our own server", () => {
  test("is the configured one or an error, but any free one instead of the default", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    await expect(choosePort("127.0.0.1", port)).rejects.toMatchObject({ code: "opencode_port_taken" });
    const free = await choosePort("127.0.0.1", port, true);
    expect(free).not.toBe(port);
    other.close();
    await once(other, "close");
    expect(await choosePort("127.0.0.1", port)).toBe(port);
  });

  test("is refused on an address of another machine", async () => {
    await expect(choosePort("192.0.2.1", 4096)).rejects.toMatchObject({ code: "opencode_host_unusable" });
  });
});
