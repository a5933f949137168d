import { expect, test } from "../fixtures/api";
import { corpusFiles, Replay, readCorpus, writeCorpus } from "../fixtures/corpus";

// What the contract (GET, PUT and POST /api/user and their other forms) answered at commit a88b4a5, recorded over raw
// sockets. A case without an answer is new: RECORD_CORPUS=1 records it, and leaves recorded answers alone. A deliberate
// change keeps the recorded answer and adds `changed`, with the reason and the answer from then on.
const isRecording = process.env.RECORD_CORPUS === "1";

for (const file of corpusFiles()) {
  test(`${file}: every request is answered as recorded`, async () => {
    const replay = new Replay();
    const cases = readCorpus(file);
    for (const recorded of cases) {
      const answer = await replay.send(recorded);
      if (isRecording) recorded.answer ??= answer;
      const wanted = recorded.changed?.answer ?? recorded.answer;
      expect.soft(answer, recorded.name).toEqual(wanted);
    }
    if (isRecording) writeCorpus(file, cases);
  });
}
