/** A store on a network filesystem would eventually be corrupted, so none is opened there. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { StoreFile } from "../../../../test/support/store/store-file.ts";
import { refuseNetworkFilesystem } from "./network-filesystem.ts";

let file: StoreFile;
beforeEach(() => {
  file = new StoreFile();
});
afterEach(() => file.dispose());

const onNetwork = (name: string) =>
  expect.objectContaining({ code: "store_on_network", message: expect.stringContaining(`(${name})`) });

it.each([
  [0x6969, "NFS"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
])("refuses filesystem type %i by its name, %s", (type, name) => {
  expect(() => refuseNetworkFilesystem(file.path, () => type)).toThrow(onNetwork(name));
});

it("recognizes a type that the kernel reports as a negative number", () => {
  expect(() => refuseNetworkFilesystem(file.path, () => 0xff534d42 | 0)).toThrow(onNetwork("CIFS"));
});

it("accepts a local filesystem", () => {
  expect(() => refuseNetworkFilesystem(file.path, () => 0xef53)).not.toThrow();
  expect(() => refuseNetworkFilesystem(file.path)).not.toThrow();
});

it("checks the nearest existing directory if the directory does not exist yet", () => {
  const asked: string[] = [];
  refuseNetworkFilesystem(file.in("not/yet/waybill.db"), (place) => {
    asked.push(place);
    return 0xef53;
  });
  expect(asked).toEqual([file.directory]);
});
