// What the harbour office of Kirkness knows: the words of the sample world. See harbour.mjs.

export const PEOPLE = [
  { name: "Ada Lind", email: "ada", role: "owner" },
  { name: "Bruno Falk", email: "bruno", role: "editor" },
  { name: "Cleo Park", email: "cleo", role: "reviewer" },
  { name: "Dara Voss", email: "dara", role: "viewer" },
];

export const AGENTS = [
  { slug: "watch", name: "Watch", kind: "assistant", description: "Keeps the log of arrivals, departures and weather." },
  { slug: "berths", name: "Berth planner", kind: "planner", description: "Says which ship lies where, and when." },
  { slug: "dues", name: "Dues clerk", kind: "assistant", description: "Reckons harbour dues and answers agents of ships." },
  { slug: "pilots", name: "Pilot desk", kind: "assistant", description: "Orders pilots and tugs." },
];

// [name, what it is]
export const ENTITIES = [
  ["Kirkness harbour", "The harbour of Kirkness, with an outer and an inner basin behind a tidal gate."],
  ["North quay", "420 metres, rail on the quay, bollards renewed in 2024."],
  ["South quay", "260 metres, fishing boats and the ferry."],
  ["Tidal gate", "Opens two hours before high water, closes two hours after. Repaired this autumn."],
  ["Berth 1", "North quay, 110 metres, 7.2 metres deep."],
  ["Berth 2", "North quay, 140 metres, 8.5 metres deep, crane on rails."],
  ["Berth 3", "North quay, 150 metres, 8.5 metres deep."],
  ["Berth 4", "South quay, 90 metres, 5.8 metres deep."],
  ["Ferry ramp", "South quay, for the island ferry only."],
  ["MV Solveig", "Coaster, 88 metres, brings timber from Härnösand every ten days."],
  ["MV Brage", "Bulk carrier, 132 metres, grain."],
  ["MT Larkspur", "Tanker, 96 metres, heating oil. Wants the fire boat beside her."],
  ["MV Annika", "Container feeder, 118 metres, calls on Tuesdays."],
  ["FV Guillemot", "Trawler of the Haugen family, lands cod and haddock."],
  ["Island ferry", "MF Tern, three times a day, Sundays at noon only."],
  ["Haugen Fishing", "Owners of FV Guillemot, pay by quarter."],
  ["Nordtimber", "Charterer of MV Solveig, wants invoices in Swedish."],
  ["Kystlast", "Ship's agent for MV Annika and MV Brage."],
  ["Tug Ask", "Tug, 32 tonnes bollard pull, crew of three."],
  ["Ida Sande", "Senior pilot, licence up to 160 metres."],
  ["Jon Rask", "Pilot, licence up to 120 metres."],
];

// [source, relation, target]
export const EDGES = [
  ["North quay", "part_of", "Kirkness harbour"], ["South quay", "part_of", "Kirkness harbour"], ["Tidal gate", "part_of", "Kirkness harbour"],
  ["Berth 1", "part_of", "North quay"], ["Berth 2", "part_of", "North quay"], ["Berth 3", "part_of", "North quay"], ["Berth 4", "part_of", "South quay"],
  ["Ferry ramp", "part_of", "South quay"], ["Island ferry", "uses", "Ferry ramp"], ["MV Solveig", "uses", "Berth 1"], ["MV Brage", "uses", "Berth 3"],
  ["MT Larkspur", "uses", "Berth 2"], ["MV Annika", "uses", "Berth 2"], ["FV Guillemot", "uses", "Berth 4"], ["Haugen Fishing", "has_a", "FV Guillemot"],
  ["Nordtimber", "uses", "MV Solveig"], ["Kystlast", "related_to", "MV Annika"], ["Kystlast", "related_to", "MV Brage"], ["Tug Ask", "used_by", "MT Larkspur"],
  ["Tug Ask", "used_by", "MV Brage"], ["Ida Sande", "related_to", "MV Brage"], ["Jon Rask", "related_to", "MV Solveig"], ["MV Brage", "follows", "Tidal gate"],
  ["MV Annika", "follows", "Tidal gate"],
];

export const SHIPS = ["MV Solveig", "MV Brage", "MT Larkspur", "MV Annika", "FV Guillemot"];

// [title, body, entities it names]
export const NOTES = [
  ["Deposit for the spare gate key", "The spare key to the tidal gate costs a deposit of 50, returned when the key comes back. Ask at the office window.", ["Tidal gate"]],
  ["Night watch hours", "The night watch begins at ten and ends at six. Whoever has it calls the pilots an hour before each arrival.", ["Ida Sande"]],
  ["Fuel for Guillemot", "Haugen Fishing wants diesel on Thursdays, 4,000 litres, paid by quarter.", ["FV Guillemot", "Haugen Fishing"]],
  ["Larkspur needs the fire boat", "While MT Larkspur discharges, the fire boat lies beside her. No hot work on the north quay meanwhile.", ["MT Larkspur", "North quay"]],
  ["Crane on berth 2 limited to 18 tonnes", "Since the inspection the rail crane lifts at most 18 tonnes until the new wire arrives.", ["Berth 2"]],
  ["Timber must stay dry", "Nordtimber complains when the stack is not covered within two hours of landing.", ["Nordtimber", "MV Solveig"]],
  ["Swedish invoices", "Nordtimber gets its invoices in Swedish, with the voyage number in the first line.", ["Nordtimber"]],
  ["Annika calls on Tuesdays", "MV Annika arrives on Tuesday mornings and leaves with the evening tide. Kystlast sends the list of containers on Monday.", ["MV Annika", "Kystlast"]],
  ["The gate after the repair", "The tidal gate closes forty seconds slower than before the repair. Tell the pilots.", ["Tidal gate", "Ida Sande", "Jon Rask"]],
  ["Depth at berth 1", "Sounded at 7.0 metres after the autumn gales, not 7.2. Dredging is asked for in spring.", ["Berth 1"]],
  ["Ferry on Sundays", "On Sundays the ferry leaves at noon only. Bicycles go free.", ["Island ferry"]],
  ["Shore power on berth 3", "The socket on berth 3 gives 63 amperes; the one on berth 2 is out of order.", ["Berth 3", "Berth 2"]],
  ["Pilot above 120 metres", "Ships longer than 120 metres want Ida Sande; Jon Rask's licence ends there.", ["Ida Sande", "Jon Rask"]],
  ["Tug for Brage in wind", "Above 12 metres a second MV Brage takes the tug, also when her master says she does not need it.", ["MV Brage", "Tug Ask"]],
  ["Ice on the ramp", "Grit stands in the red box beside the ferry ramp. It was empty twice last winter.", ["Ferry ramp"]],
  ["Customs on Mondays", "The customs officer is here on Monday mornings. Other days by telephone, a day before.", ["Kirkness harbour"]],
  ["Waste from ships", "Oily waste is fetched on Wednesdays; garbage every day before nine.", ["Kirkness harbour"]],
  ["Anna's garage code", "The code for the garage changed; ask the office. It is not written down here on purpose.", []],
  ["Fog signal", "Two long blasts from the pier when sight is under half a mile. Watch does it, not the pilots.", ["Kirkness harbour"]],
  ["Berth plan before a holiday", "Before a holiday the plan for three days must be out by noon on the day before.", ["North quay", "South quay"]],
  ["Complaint about the horn", "People in Strandgata complain about Annika's horn at five in the morning. Kystlast has promised a letter.", ["MV Annika", "Kystlast"]],
  ["Solveig's new master", "Captain Norrby has taken over on MV Solveig. He prefers channel 12.", ["MV Solveig"]],
  ["Grain dust", "When MV Brage loads grain, the south wind takes the dust to the school. Stop above 10 metres a second.", ["MV Brage", "Berth 3"]],
  ["Lights on the north quay", "Lamps 7 and 9 are out. The electrician comes on Friday.", ["North quay"]],
  ["Who signs for oil", "Only Ada or Bruno sign the checklist for heating oil.", ["MT Larkspur"]],
  ["Radio of the ferry", "The ferry listens on 16 and 9. Her mobile telephone has no reception behind the island.", ["Island ferry"]],
  ["Scrap iron", "A heap of scrap lies on berth 1 until the end of the month. Leave ten metres free for Solveig's ramp.", ["Berth 1", "MV Solveig"]],
  ["Bollard 14", "Bollard 14 is loose; nothing over 5,000 tonnes is made fast to it.", ["North quay"]],
];

const RAIN = ["fresh wind from the west", "light air and fog until nine", "rain, sight two miles", "a clear and cold morning", "a gale warning from noon"];
const CARGO = { "MV Solveig": "timber", "MV Brage": "grain", "MT Larkspur": "heating oil", "MV Annika": "containers", "FV Guillemot": "cod and haddock" };
const BERTH = { "MV Solveig": "Berth 1", "MV Brage": "Berth 3", "MT Larkspur": "Berth 2", "MV Annika": "Berth 2", "FV Guillemot": "Berth 4" };
const TALLY = { "MV Solveig": "cubic metres", "MV Brage": "tonnes", "MT Larkspur": "tonnes", "MV Annika": "boxes", "FV Guillemot": "crates" };

/** What Watch writes into the log on a day: [title, body, names]. dice(n) throws 0 to n-1. */
export function logOf(day, dice) {
  const ship = SHIPS[dice(SHIPS.length)], other = SHIPS[dice(SHIPS.length)], berth = BERTH[ship], [hour, minute] = [5 + dice(9), dice(60)];
  const clock = `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
  return [
    [`${ship} in`, `${ship} through the gate at ${clock}, made fast at ${berth}. ${RAIN[dice(RAIN.length)]}.`, [ship, berth]],
    [`${ship} discharged`, `${ship} discharged ${40 + dice(400)} ${TALLY[ship]} of ${CARGO[ship]} at ${berth}. ${dice(3) ? "No remarks." : "Two pallets damaged, photographs in the folder."}`, [ship, berth]],
    [`Dues for ${other}`, `Harbour dues for ${other} reckoned at ${900 + dice(3000)}, waste included. Sent to the ship's agent.`, [other]],
    [`Pilot for ${ship}`, `${dice(2) ? "Ida Sande" : "Jon Rask"} took ${ship} out on the evening tide. ${dice(2) ? "Tug Ask made fast aft." : "No tug."}`, [ship, "Tug Ask"]],
    [`Gate ${day % 3 ? "opened" : "opened late"}`, `The gate opened at ${clock}${day % 3 ? "" : ", twenty minutes late, weed in the sill"}. ${RAIN[dice(RAIN.length)]}.`, ["Tidal gate"]],
  ];
}

export const LEARNINGS = [
  ["Ask for the length first", "A pilot order without the ship's length has to be asked again; ask for it with the first question.", "best_practice"],
  ["Dues before the gate", "Dues that are sent before the ship has left the gate are paid twice as fast.", "performance_insight"],
  ["Berth by draught and tide", "Planning by length alone put Brage aground for an hour; plan by draught and tide.", "failure_mode"],
  ["Weather in one line", "Masters read the first line only: wind, sight, gate.", "pattern"],
  ["No plan by telephone", "Changes to the berth plan by telephone were forgotten three times; write them into the pool.", "anti_pattern"],
  ["Covered timber", "Covering the timber within an hour ended the complaints.", "discovery"],
];

export const KNOWLEDGE = [
  ["How a ship is let in", "1. The ship's agent announces her a day before.\n2. Berth planner proposes a berth by length, draught and tide.\n3. Pilot desk orders a pilot and, above 12 m/s, the tug.\n4. Watch opens the gate.", "procedure", "global"],
  ["Harbour dues in brief", "Dues are reckoned by gross tonnage, a day begun counts as a day. Fishing boats of the town pay by quarter.", "reference", "global"],
  ["Words of the tide", "High water, low water, slack, spring and neap: what they mean at the gate.", "definition", "account"],
  ["What to do in fog", "Sound the signal, halve the speed in the basin, no tanker moves.", "guide", "global"],
];

// [key, type, first content, second content or null, tags]
export const ENTRIES = [
  ["gate.opening", "fact", "The gate opens two hours before high water.", "The gate opens two hours and ten minutes before high water, since the repair.", ["gate", "tide"]],
  ["gate.keys", "fact", "Three keys: office, watch, pilots.", null, ["gate"]],
  ["berth.larkspur", "decision", "Larkspur lies at berth 2 with the fire boat.", "Larkspur lies at berth 2 with the fire boat, and nobody welds on the north quay meanwhile.", ["berths", "safety"]],
  ["berth.solveig", "decision", "Solveig takes berth 1 until the scrap is gone.", "Solveig takes berth 3 until the scrap is gone.", ["berths"]],
  ["winter.plan", "plan", "Grit at the ramp and the stairs before the first frost.", null, ["winter"]],
  ["pilots.length", "fact", "Above 120 metres only Ida Sande.", null, ["pilots"]],
  ["ferry.sunday", "fact", "On Sundays one sailing, at noon.", null, ["ferry"]],
  ["crane.limit", "observation", "The crane lifts 20 tonnes.", "The crane lifts 18 tonnes until the new wire arrives.", ["crane", "safety"]],
  ["annika.horn", "reflection", "Complaints stop when the master knows where the school is.", null, ["neighbours"]],
  ["dues.language", "preference", "Nordtimber reads Swedish.", null, ["dues"]],
];

export const QUERIES = ["when does the gate open?", "who may pilot a ship of 132 metres?", "what does Larkspur need at the quay?", "complaints of neighbours",
  "where does Solveig lie this week?", "crane limit", "invoices for Nordtimber", "what happens in fog?", "how much was landed by Guillemot", "ferry on Sunday"];
