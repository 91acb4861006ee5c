/** A store knows which attachments its messages name, so that the others can be removed. */
import { expect, it } from "vitest";
import type { Attachment } from "../../../src/core/message/message.ts";
import { admit, tryToAdmit } from "../../support/core/deliveries.ts";
import type { Subject } from "../store-conformance.ts";

const file = (id: string): Attachment => ({ id, name: `${id}.txt`, mimeType: "text/plain", size: 1 });

export function attachments(subject: Subject): void {
  it("an attachment that a message has is named, even after a restart", async () => {
    await admit(subject.store, { id: "m1", attachments: [file("a"), file("b"), file("a")] });
    await admit(subject.store, { id: "m2", attachments: [file("b")] });
    await admit(subject.store, { id: "m3" });
    await subject.reopen();
    expect(await subject.store.namedAttachments(["a", "b", "c"])).toEqual(new Set(["a", "b"]));
    expect(await subject.store.namedAttachments([])).toEqual(new Set());
  });

  it("an attachment that only a refused message has is not named", async () => {
    await admit(subject.store, { id: "m1" });
    await tryToAdmit(subject.store, { id: "m1", attachments: [file("a")] });
    expect(await subject.store.namedAttachments(["a"])).toEqual(new Set());
  });
}
