import { InputFile } from "grammy";
import { describe, expect, test } from "vitest";
import { refusal, startTelegram } from "../../../test/support/telegram/fake-telegram.ts";

async function post(url: string, body: string, contentType: string) {
  const response = await fetch(url, { method: "POST", body, headers: { "content-type": contentType } });
  return { status: response.status, body: await response.json() };
}

describe("the token", () => {
  test("is refused if it is wrong", async () => {
    const { telegram } = await startTelegram();
    const answer = await post(`${telegram.url}/bot1:wrong/getMe`, "", "application/json");
    expect(answer).toEqual({ status: 401, body: { ok: false, error_code: 401, description: "Unauthorized" } });
    expect(telegram.calls()).toEqual([]);
  });

  test("stops working once it is revoked", async () => {
    const { telegram, api } = await startTelegram();
    await api.getMe();
    telegram.revokeToken();
    expect(await refusal(api.getMe())).toBe("401: Unauthorized");
  });

  test("does not appear in the log", async () => {
    const { telegram, api } = await startTelegram();
    await api.setWebhook(`http://127.0.0.1:9/${telegram.token}`);
    expect(telegram.calls("setWebhook")).toMatchObject([{ params: { url: "http://127.0.0.1:9/<token>" } }]);
  });
});

describe("a request", () => {
  test("for an unknown method is answered with 404", async () => {
    const { telegram } = await startTelegram();
    const answer = await post(`${telegram.url}/bot${telegram.token}/sendTelepathy`, "{}", "application/json");
    expect(answer).toMatchObject({ status: 404, body: { ok: false, error_code: 404 } });
  });

  test.each([
    ["application/json", (id: number) => JSON.stringify({ chat_id: id, text: "hi", reply_markup: keyboard })],
    [
      "application/x-www-form-urlencoded",
      (id: number) => `chat_id=${id}&text=hi&reply_markup=${encodeURIComponent(JSON.stringify(keyboard))}`,
    ],
    [
      "multipart/form-data; boundary=x",
      (id: number) =>
        Object.entries({ chat_id: id, text: "hi", reply_markup: JSON.stringify(keyboard) })
          .map(([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
          .join("")
          .concat("--x--\r\n"),
    ],
  ])("can carry %s", async (contentType, body) => {
    const { telegram } = await startTelegram();
    const chat = telegram.privateChat();
    const answer = await post(`${telegram.url}/bot${telegram.token}/sendMessage`, body(chat.id), contentType);
    expect(answer.status).toBe(200);
    expect(chat.messages).toMatchObject([{ text: "hi", keyboard: keyboard.inline_keyboard }]);
  });

  test("can have its parameters in the URL and its method in lower case", async () => {
    const { telegram } = await startTelegram();
    const chat = telegram.privateChat();
    await fetch(`${telegram.url}/bot${telegram.token}/sendmessage?chat_id=${chat.id}&text=hi`);
    expect(chat.messages).toMatchObject([{ text: "hi" }]);
    expect(telegram.calls("sendMessage")).toHaveLength(1);
  });

  test.each(["/", "/getMe", "/bot", "/bot%ff/getMe/more"])("for %s is answered with 404", async (path) => {
    const { telegram } = await startTelegram();
    expect((await fetch(`${telegram.url}${path}`)).status).toBe(404);
  });

  test("with invalid JSON is refused", async () => {
    const { telegram } = await startTelegram();
    expect(await post(`${telegram.url}/bot${telegram.token}/getMe`, "{", "application/json")).toMatchObject({
      status: 400,
    });
  });
});

const keyboard = { inline_keyboard: [[{ text: "Yes", callback_data: "yes" }]] };

describe("the log", () => {
  test("lists each call with its parameters and answer, and counts the calls", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    await api.sendMessage(chat.id, "one");
    await api.sendDocument(chat.id, new InputFile(Buffer.from("abc"), "a.txt"));
    await refusal(api.sendMessage(chat.id, " "));
    expect(telegram.callCounts()).toEqual({ sendMessage: 2, sendDocument: 1 });
    expect(telegram.calls("sendMessage")).toMatchObject([
      { params: { chat_id: chat.id, text: "one" }, outcome: { type: "answered", status: 200 } },
      { outcome: { type: "answered", status: 400 } },
    ]);
    const [upload] = telegram.calls("sendDocument");
    expect(Object.values(upload?.params ?? {})).toContainEqual({ name: "a.txt", size: 3 });
  });

  test("notifies listeners when a call arrives, has taken effect, and was answered", async () => {
    const { telegram, api } = await startTelegram();
    const chat = telegram.privateChat();
    const seen: [string, number][] = [];
    const stop = telegram.onCall((stage) => seen.push([stage, chat.messages.length]));
    await api.sendMessage(chat.id, "one");
    await expect
      .poll(() => seen)
      .toEqual([
        ["arrived", 0],
        ["handled", 1],
        ["answered", 1],
      ]);
    stop();
    await api.sendMessage(chat.id, "two");
    expect(seen).toHaveLength(3);
  });
});
