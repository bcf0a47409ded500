"""What a code's evaluation stack holds at an instruction: a frame in the middle of a call into C does not say so."""

import dis
from opcode import hasjabs, hasjrel, opmap, stack_effect

ENDS = {opmap[name] for name in ("RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "INTERPRETER_EXIT")}
JUMPS = {opmap[name] for name in ("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT")}
MAY_JUMP = {*hasjrel, *hasjabs}

# Of a code: by offset, depth and argument.
known = {}
KNOWN_LIMIT = 200
# While a thread looks whether it can leave the stack, by modules of the library: nobody else may get a turn.
reading = False


def depth_at(code, offset):
    """Depth, and the instruction's argument; None: nothing comes to it."""
    global reading
    depths = known.get(code)
    if depths is None:
        if len(known) > KNOWN_LIMIT:
            known.clear()
        reading = True
        try:
            depths = known[code] = depths_of(code)
        finally:
            reading = False
    return depths.get(offset)


def depths_of(code):
    instructions = list(dis.get_instructions(code))
    index = {each.offset: number for number, each in enumerate(instructions)}
    found = {}
    todo = [(0, 0)]
    for entry in dis._parse_exception_table(code):
        todo.append((index[entry.target], entry.depth + entry.lasti + 1))
    while todo:
        number, depth = todo.pop()
        while number not in found:
            instruction = instructions[number]
            opcode = instruction.opcode
            argument = instruction.arg if opcode >= dis.HAVE_ARGUMENT else None
            found[number] = depth
            if opcode in MAY_JUMP:
                todo.append((index[instruction.jump_target], depth + stack_effect(opcode, argument, jump=True)))
            if opcode in ENDS or opcode in JUMPS:
                break
            depth += stack_effect(opcode, argument, jump=False)
            number += 1
    return {instructions[number].offset: (depth, instructions[number].arg or 0) for number, depth in found.items()}
