#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mcp_client.py PROF-REPORT: the SDK's client over stdio in the current folder, which has families.evt and families3.evt."""
import asyncio, json, sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

CALLS = {
    "list_recordings": {},
    "list_reports": {},
    "first_screen": {"recording": "families.evt"},
    "report": {"recording": "families.evt", "report": "ops", "limit": 3},
    "compare": {"after": "families3.evt", "before": ["families.evt"], "limit": 3},
    "explain_column": {"report": "ops", "column": "calls"},
}


def text_of(result):
    wrong = getattr(result, "isError", None)
    wrong = getattr(result, "is_error", None) if wrong is None else wrong
    return result.content[0].text, bool(wrong)


async def main():
    parameters = StdioServerParameters(command=sys.argv[1], args=["mcp"])
    async with stdio_client(parameters) as (read, write):
        async with ClientSession(read, write) as session:
            hello = await session.initialize()
            print(hello)
            tools = {tool.name: tool for tool in (await session.list_tools()).tools}
            assert set(tools) == set(CALLS), set(tools)
            for name, arguments in CALLS.items():
                text, wrong = text_of(await session.call_tool(name, arguments))
                assert not wrong and text, (name, text)
                if name != "first_screen":
                    json.loads(text)
            text, wrong = text_of(await session.call_tool("first_screen", {"recording": "../x.evt"}))
            assert wrong and "only paths below" in text, text
            await session.send_ping()


asyncio.run(main())
