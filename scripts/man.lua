-- SPDX-License-Identifier: GPL-2.0-only
-- Filter of pandoc for manual pages, which have no room for wide tables: a row becomes an item of a list.

function Code(code)
	return pandoc.Strong(code.text)
end

-- Without pandoc's font, which not every formatter knows. Not filled, hyphens as in a shell: to be copied.
function CodeBlock(block)
	local text = ("\n" .. block.text):gsub("\\", "\\e"):gsub("%-", "\\-"):gsub("'", "\\(aq"):gsub("\n%.", "\n\\&.")
	return pandoc.RawBlock("man", ".IP \"\" 4\n.nf" .. text .. "\n.fi")
end

function Link(link)
	return link.content
end

function Header(header)
	if header.level > 1 then
		return header
	end
	return pandoc.walk_block(header, { Str = function(word) return pandoc.Str(word.text:upper()) end })
end

local function add(list, separator, inlines)
	if #inlines > 0 then
		list:extend(#list > 0 and { pandoc.Str(separator), pandoc.Space() } or {})
		list:extend(inlines)
	end
end

-- "KEY (UNIT)" and the other cells; of a table without keys, the first cell and the others.
function Table(rows)
	local simple = pandoc.utils.to_simple_table(rows)
	local title = pandoc.utils.stringify
	local keyed = title(simple.headers[1]) == "key" or title(simple.headers[2] or {}) == "key"
	local items = {}
	for _, row in ipairs(simple.rows) do
		local term, text = pandoc.List(), pandoc.List()
		for i, cell in ipairs(row) do
			local inlines = pandoc.utils.blocks_to_inlines(cell)
			local head = title(simple.headers[i])
			if #inlines > 0 and keyed and head == "unit" then
				term:extend({ pandoc.Str(" (") })
				term:extend(inlines)
				term:extend({ pandoc.Str(")") })
			elseif i == 1 or head == "key" then
				add(term, ":", inlines)
			elseif #inlines > 0 then
				local label = head ~= "" and (not keyed and #row > 2 or head == "source")
				add(text, ".", label and { pandoc.Str(head .. ": "), table.unpack(inlines) } or inlines)
			end
		end
		items[#items + 1] = { term, { { pandoc.Plain(text) } } }
	end
	return pandoc.DefinitionList(items)
end
