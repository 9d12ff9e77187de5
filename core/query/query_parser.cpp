#include "query/query_parser.h"

#include "query/fold.h"
#include "query/query_fields.h"
#include "query/units.h"

#include <initializer_list>

namespace torchline {

namespace {

constexpr int kMostNesting = 200;

struct OpText {
    std::string_view text;
    QueryOp op;
};

constexpr OpText kOps[] = {
    {"==", QueryOp::Equal},
    {"!=", QueryOp::NotEqual},
    {"<=", QueryOp::LessEqual},
    {">=", QueryOp::GreaterEqual},
    {"=", QueryOp::Equal},
    {"<", QueryOp::Less},
    {">", QueryOp::Greater},
    {":", QueryOp::Contains},
};

bool isBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool isFieldChar(char c)
{
    const char folded = foldedChar(c);
    return (folded >= 'a' && folded <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/// A place where FIELD OP begins.
struct ConditionHead {
    const QueryFieldName* field = nullptr;
    QuerySpan name;
    QueryOperator op;
};

class Parser {
public:
    explicit Parser(std::string_view text)
        : m_text(text)
    {
    }

    QueryNode parse()
    {
        QueryNode root = parseOr(0);
        skipBlanks();
        if (m_at < m_text.size())
            throw QueryFault{m_at, m_at + 1, "there is no parenthesis that this one closes"};
        return root;
    }

private:
    [[noreturn]] static void fail(QuerySpan place, std::string message)
    {
        throw QueryFault{place.begin, place.end, std::move(message)};
    }

    QueryNode parseOr(int depth)
    {
        if (depth > kMostNesting)
            fail({m_at, m_text.size()}, "the parentheses are nested too deep");
        QueryNode node = parseAnd(depth);
        if (!atKeyword("or"))
            return node;
        QueryNode any{QueryNode::Kind::Or, {}, {}, 0};
        any.children.push_back(std::move(node));
        while (takeKeyword("or"))
            any.children.push_back(parseAnd(depth));
        return any;
    }

    QueryNode parseAnd(int depth)
    {
        QueryNode all{QueryNode::Kind::And, {}, {}, 0};
        all.children.push_back(parseNot(depth));
        while (true) {
            if (!takeKeyword("and") && (atEnd() || m_text[m_at] == ')' || atKeyword("or")))
                break;
            all.children.push_back(parseNot(depth));
        }
        return all.children.size() == 1 ? std::move(all.children.front()) : std::move(all);
    }

    QueryNode parseNot(int depth)
    {
        if (depth > kMostNesting)
            fail({m_at, m_text.size()}, "the conditions are nested too deep");
        if (takeKeyword("not")) {
            QueryNode inverse{QueryNode::Kind::Not, {}, {}, 0};
            inverse.children.push_back(parseNot(depth + 1));
            return inverse;
        }
        if (atEnd())
            fail({m_text.size(), m_text.size()}, "a condition is missing at the end");
        for (const std::string_view word : {"and", "or"}) {
            if (atKeyword(word))
                fail({m_at, m_at + word.size()}, "a condition is missing before '" + std::string(word) + "'");
        }
        if (m_text[m_at] == '(')
            return parseGroup(depth);
        if (m_text[m_at] == ')')
            fail({m_at, m_at + 1}, "a condition is missing before the parenthesis");
        if (m_text[m_at] == '"')
            return testNode(nameTest(takeQuoted()));
        if (const auto head = conditionAt(m_at))
            return testNode(parseCondition(*head));
        return testNode(nameTest(takeWords()));
    }

    QueryNode parseGroup(int depth)
    {
        const size_t opening = m_at++;
        QueryNode node = parseOr(depth + 1);
        if (atEnd())
            fail({opening, opening + 1}, "this parenthesis is not closed");
        ++m_at; // parseOr stops at the end or at ')'
        return node;
    }

    QueryNode testNode(QueryTest test)
    {
        test.folded = foldedText(test.text);
        return {QueryNode::Kind::Test, {}, std::move(test), m_tests++};
    }

    static QueryTest nameTest(std::string text)
    {
        QueryTest test;
        test.text = std::move(text);
        return test;
    }

    // -- words
    void skipBlanks()
    {
        while (m_at < m_text.size() && isBlank(m_text[m_at]))
            ++m_at;
    }

    bool atEnd()
    {
        skipBlanks();
        return m_at >= m_text.size();
    }

    bool isKeywordAt(size_t at, std::string_view word) const
    {
        if (!equalsFolded(m_text.substr(at, word.size()), word))
            return false;
        const size_t end = at + word.size();
        return end == m_text.size() || isBlank(m_text[end]) || m_text[end] == '(' || m_text[end] == ')'
            || m_text[end] == '"';
    }

    bool atKeyword(std::string_view word)
    {
        skipBlanks();
        return isKeywordAt(m_at, word);
    }

    bool takeKeyword(std::string_view word)
    {
        if (!atKeyword(word))
            return false;
        m_at += word.size();
        return true;
    }

    /// End of a word: a blank, or a closing parenthesis that the word did not open.
    size_t wordEnd(size_t at) const
    {
        int open = 0;
        for (; at < m_text.size() && !isBlank(m_text[at]); ++at) {
            if (m_text[at] == '(')
                ++open;
            else if (m_text[at] == ')' && --open < 0)
                break;
        }
        return at;
    }

    /// Whether the word here belongs to the words before it.
    bool continuesWords() const
    {
        const char c = m_text[m_at];
        return c != '(' && c != ')' && c != '"' && !isKeywordAt(m_at, "and") && !isKeywordAt(m_at, "or")
            && !isKeywordAt(m_at, "not") && !conditionAt(m_at);
    }

    std::string takeWords()
    {
        const size_t begin = m_at;
        size_t end = wordEnd(m_at);
        for (m_at = end; !atEnd() && m_at > end && continuesWords(); m_at = end)
            end = wordEnd(m_at);
        return std::string(m_text.substr(begin, end - begin));
    }

    std::string takeQuoted()
    {
        const size_t begin = m_at++;
        std::string text;
        while (m_at < m_text.size() && m_text[m_at] != '"') {
            const bool isEscape = m_text[m_at] == '\\' && m_at + 1 < m_text.size()
                && (m_text[m_at + 1] == '"' || m_text[m_at + 1] == '\\');
            m_at += isEscape ? 1 : 0;
            text += m_text[m_at++];
        }
        if (m_at >= m_text.size())
            fail({begin, m_text.size()}, "the quotation mark is not closed");
        ++m_at;
        return text;
    }

    // -- conditions
    std::optional<QueryOperator> operatorAt(size_t at) const
    {
        for (const OpText& known : kOps) {
            if (!m_text.substr(at).starts_with(known.text))
                continue;
            if (m_text.substr(at).starts_with("::"))
                return std::nullopt; // C++ scope
            return QueryOperator{known.op, {at, at + known.text.size()}};
        }
        return std::nullopt;
    }

    size_t afterBlanks(size_t at) const
    {
        while (at < m_text.size() && isBlank(m_text[at]))
            ++at;
        return at;
    }

    size_t afterFieldChars(size_t at) const
    {
        while (at < m_text.size() && isFieldChar(m_text[at]))
            ++at;
        return at;
    }

    /// FIELD OP, or NAME OP that can only be meant as one: then it fails, naming the fields that there are.
    std::optional<ConditionHead> conditionAt(size_t at) const
    {
        size_t end = afterFieldChars(at);
        if (end == at)
            return std::nullopt;
        if (equalsFolded(m_text.substr(at, end - at), "external")
            && isBlank(m_text[std::min(end, m_text.size() - 1)])) {
            const size_t second = afterBlanks(end);
            const size_t secondEnd = afterFieldChars(second);
            if (equalsFolded(m_text.substr(second, secondEnd - second), "id") && operatorAt(afterBlanks(secondEnd)))
                return ConditionHead{fieldOf("external id"), {at, secondEnd}, *operatorAt(afterBlanks(secondEnd))};
        }
        const size_t opAt = afterBlanks(end);
        const auto op = operatorAt(opAt);
        if (!op)
            return std::nullopt;
        const ConditionHead head{fieldOf(m_text.substr(at, end - at)), {at, end}, *op};
        if (head.field)
            return head;
        const bool standsAlone = opAt > end && (op->place.end == m_text.size() || isBlank(m_text[op->place.end]));
        const bool isBracket = op->op == QueryOp::Less || op->op == QueryOp::Greater;
        if (op->op != QueryOp::Contains && (standsAlone || !isBracket)) {
            fail(head.name,
                "'" + std::string(m_text.substr(at, end - at)) + "' is no field (there are " + std::string(fieldList())
                    + "); text in quotation marks matches names");
        }
        return std::nullopt;
    }

    QueryTest parseCondition(const ConditionHead& head)
    {
        QueryTest test;
        test.field = head.field->field;
        QueryOperator op = head.op;
        m_at = op.place.end;
        if (test.field == QueryField::Arg) {
            if (op.op != QueryOp::Contains)
                fail(op.place, "write arg:KEY, then a comparison");
            test.argKey = takeArgKey();
            const auto comparison = operatorAt(afterBlanks(m_at));
            if (!comparison) {
                test.op = QueryOp::Exists;
                return test;
            }
            op = *comparison;
            m_at = op.place.end;
        }
        test.op = op.op;
        if (atEnd() || m_text[m_at] == ')') {
            const std::string_view opText = m_text.substr(op.place.begin, op.place.end - op.place.begin);
            fail({op.place.begin, m_at}, "a value is missing after '" + std::string(opText) + "'");
        }
        const bool isQuoted = m_text[m_at] == '"';
        const size_t begin = m_at;
        test.text = isQuoted ? takeQuoted() : takeValue(head.field->type);
        readValue(test, head.field->type, op, {begin, m_at});
        return test;
    }

    std::string takeArgKey()
    {
        if (m_at < m_text.size() && m_text[m_at] == '"')
            return takeQuoted();
        const size_t begin = m_at;
        while (m_at < m_text.size() && !isBlank(m_text[m_at]) && m_text[m_at] != '(' && m_text[m_at] != ')'
            && !operatorAt(m_at))
            ++m_at;
        if (m_at == begin)
            fail({begin > 0 ? begin - 1 : 0, begin}, "the name of an argument is missing after 'arg:'");
        return std::string(m_text.substr(begin, m_at - begin));
    }

    /// A word; a number and its unit can have a blank between them.
    std::string takeValue(QueryValueType type)
    {
        const size_t begin = m_at;
        m_at = wordEnd(m_at);
        const std::string_view word = m_text.substr(begin, m_at - begin);
        if (type == QueryValueType::Time || type == QueryValueType::Bytes) {
            const size_t next = afterBlanks(m_at);
            const size_t nextEnd = wordEnd(next);
            const std::string_view unit = m_text.substr(next, nextEnd - next);
            const bool isUnit = type == QueryValueType::Time ? isTimeUnit(unit) : isByteUnit(unit);
            if (isUnit && word.find_first_not_of("+-.0123456789") == std::string_view::npos) {
                m_at = nextEnd;
                return std::string(word) + std::string(unit);
            }
        }
        return std::string(word);
    }

    std::string_view m_text;
    size_t m_at = 0;
    uint32_t m_tests = 0;
};

} // namespace

tl::expected<QueryNode, QueryFault> parseQuery(std::string_view text)
{
    try {
        return Parser(text).parse();
    } catch (const QueryFault& fault) {
        return tl::make_unexpected(fault);
    }
}

} // namespace torchline
