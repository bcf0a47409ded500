"""Python's own client: lists the tools and runs two calls, then prints what it saw as JSON.

Its arguments: "http" and a URL, or "stdio" and a command; then "legacy" or a revision; then a session and the code of each call.
"""

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters


async def main(kind, where, mode, session, *programs):
    server = where if kind == "http" else StdioServerParameters(command=where, env=dict(os.environ))
    async with Client(server, mode=mode) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        replies = []
        for code in programs:
            result = await client.call_tool("execute_code", {"code": code, "session_id": session})
            replies.append(result.structured_content)
    print(json.dumps({"tools": tools, "replies": replies}))


asyncio.run(main(*sys.argv[1:]))
