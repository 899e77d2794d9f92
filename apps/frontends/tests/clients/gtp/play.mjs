// Two engines, driven by @sabaki/gtp as a user's program would, play every game to its end and agree about it.
//   node play.mjs SELFPLAY
import gtp from "@sabaki/gtp";
import { execFileSync } from "node:child_process";

const program = process.argv[2];
const games = JSON.parse(execFileSync(program, ["games", "--json"])).map((game) => game.id);
const MOST_TURNS = 400;

async function ask(engine, name, ...args) {
  const response = await engine.sendCommand({ name, args });
  if (response.error) throw new Error(`${name} ${args.join(" ")}: ${response.content}`);
  return response.content.trim();
}

async function playGame(game) {
  const engines = ["alphabeta:depth=1", "greedy"].map((spec) => new gtp.Controller(program, ["gtp", game, spec]));
  let turns = 0;
  try {
    for (const engine of engines) engine.start();
    if ((await ask(engines[0], "protocol_version")) !== "2") throw new Error("not version 2");
    const refused = await engines[0].sendCommand({ name: "play", args: ["black", "no-move"] });
    if (!refused.error) throw new Error("a move that is none was accepted");
    while ((await ask(engines[0], "gogui-rules_final_result")) === "unknown" && turns < MOST_TURNS) {
      const color = await ask(engines[0], "gogui-rules_side_to_move");
      const [mover, other] = turns % 2 === 0 ? engines : [...engines].reverse();
      const move = await ask(mover, "genmove", color);
      const legal = (await ask(other, "gogui-rules_legal_moves")).toLowerCase().split(/\s+/);
      if (!legal.includes(move.toLowerCase())) throw new Error(`${move} is not among the legal moves`);
      await ask(other, "play", color, move);
      turns += 1;
      if (turns === 3) {
        // What is taken back and played again changes nothing.
        for (const engine of engines) await ask(engine, "undo");
        for (const engine of engines) await ask(engine, "play", color, move);
      }
    }
    const ends = await Promise.all(engines.map((engine) => ask(engine, "gogui-rules_final_result")));
    const scores = await Promise.all(engines.map((engine) => ask(engine, "final_score")));
    const boards = await Promise.all(engines.map((engine) => ask(engine, "showboard")));
    if (ends[0] !== ends[1] || scores[0] !== scores[1] || boards[0] !== boards[1]) {
      throw new Error(`the engines disagree: ${ends} ${scores}\n${boards.join("\n")}`);
    }
    console.log(`ok ${game}: ${ends[0]} after ${turns} turns`);
  } finally {
    await Promise.all(engines.map((engine) => engine.stop()));
  }
}

let failed = 0;
for (const game of games) {
  try {
    await playGame(game);
  } catch (error) {
    failed += 1;
    console.log(`FAILED ${game}: ${error.message}`);
  }
}
console.log(`${games.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
