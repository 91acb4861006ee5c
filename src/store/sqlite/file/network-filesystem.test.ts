/** A store on a network filesystem would one day be corrupt, so none is opened there. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { StoreFile } from "../../../../test/support/store-file.ts";
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
])("filesystem type %i is refused by its name, %s", (type, name) => {
  expect(() => refuseNetworkFilesystem(file.path, () => type)).toThrow(onNetwork(name));
});

it("a type that the kernel reports as a negative number is known all the same", () => {
  expect(() => refuseNetworkFilesystem(file.path, () => 0xff534d42 | 0)).toThrow(onNetwork("CIFS"));
});

it("a local filesystem is fine", () => {
  expect(() => refuseNetworkFilesystem(file.path, () => 0xef53)).not.toThrow();
  expect(() => refuseNetworkFilesystem(file.path)).not.toThrow();
});

it("for a directory that is yet to be made, the nearest one that exists decides", () => {
  const asked: string[] = [];
  refuseNetworkFilesystem(file.in("not/yet/waybill.db"), (place) => {
    asked.push(place);
    return 0xef53;
  });
  expect(asked).toEqual([file.directory]);
});
