#include "query/query_fields.h"

#include "query/fold.h"
#include "query/units.h"

#include <charconv>
#include <initializer_list>

namespace torchline {

namespace {

constexpr QueryFieldName kFields[] = {
    {"name", QueryField::Name, QueryValueType::Text},
    {"cat", QueryField::Category, QueryValueType::Text},
    {"category", QueryField::Category, QueryValueType::Text},
    {"kind", QueryField::Kind, QueryValueType::KindText},
    {"dur", QueryField::Duration, QueryValueType::Time},
    {"duration", QueryField::Duration, QueryValueType::Time},
    {"start", QueryField::Start, QueryValueType::Time},
    {"ts", QueryField::Start, QueryValueType::Time},
    {"end", QueryField::End, QueryValueType::Time},
    {"self", QueryField::SelfTime, QueryValueType::Time},
    {"stream", QueryField::Stream, QueryValueType::Id},
    {"device", QueryField::Device, QueryValueType::Id},
    {"pid", QueryField::Process, QueryValueType::Id},
    {"process", QueryField::Process, QueryValueType::Id},
    {"tid", QueryField::Thread, QueryValueType::Id},
    {"thread", QueryField::Thread, QueryValueType::Id},
    {"depth", QueryField::Depth, QueryValueType::Integer},
    {"bytes", QueryField::Bytes, QueryValueType::Bytes},
    {"corr", QueryField::Correlation, QueryValueType::Integer},
    {"correlation", QueryField::Correlation, QueryValueType::Integer},
    {"external", QueryField::External, QueryValueType::Integer},
    {"external id", QueryField::External, QueryValueType::Integer},
    {"step", QueryField::Step, QueryValueType::Integer},
    {"file", QueryField::File, QueryValueType::File},
    {"rank", QueryField::Rank, QueryValueType::Integer},
    {"unfinished", QueryField::Unfinished, QueryValueType::Flag},
    {"arg", QueryField::Arg, QueryValueType::Arg},
};

constexpr std::string_view kFieldList
    = "name, cat, kind, dur, start, end, self, stream, device, pid, tid, depth, bytes, "
      "corr, external, step, file, rank, unfinished, arg";

[[noreturn]] void fail(QuerySpan place, std::string message)
{
    throw QueryFault{place.begin, place.end, std::move(message)};
}

bool isOrdering(QueryOp op)
{
    return op == QueryOp::Less || op == QueryOp::LessEqual || op == QueryOp::Greater || op == QueryOp::GreaterEqual;
}

void needText(const QueryOperator& op, std::string_view what)
{
    if (isOrdering(op.op))
        fail(op.place, std::string(what) + " can be compared with : = and != only");
}

void needNumber(QueryTest& test, std::optional<int64_t> number, QuerySpan place, std::string_view expected)
{
    if (!number)
        fail(place, "'" + test.text + "' is no " + std::string(expected));
    test.number = number;
    if (test.op == QueryOp::Contains)
        test.op = QueryOp::Equal;
}

void needKind(const QueryTest& test, QuerySpan place)
{
    static constexpr std::string_view kKinds[] = {"op", "annotation", "python", "runtime", "driver", "kernel", "memcpy",
        "memset", "sync", "device_annotation", "overhead", "other"};
    std::string list;
    for (const std::string_view kind : kKinds) {
        if (test.op == QueryOp::Contains ? containsFolded(kind, foldedText(test.text)) : equalsFolded(test.text, kind))
            return;
        list += (list.empty() ? "" : ", ") + std::string(kind);
    }
    fail(place, "'" + test.text + "' is no kind (there are " + list + ")");
}

std::optional<int64_t> parseFlag(std::string_view text)
{
    for (const std::string_view yes : {"true", "yes", "1"}) {
        if (equalsFolded(text, yes))
            return 1;
    }
    for (const std::string_view no : {"false", "no", "0"}) {
        if (equalsFolded(text, no))
            return 0;
    }
    return std::nullopt;
}

void readArgValue(QueryTest& test, const QueryOperator& op, QuerySpan place)
{
    double real = 0;
    const char* end = test.text.data() + test.text.size();
    const auto [rest, error] = std::from_chars(test.text.data(), end, real);
    if (error == std::errc{} && rest == end) {
        test.number = parseInteger(test.text);
        test.real = real;
    } else if ((test.number = parseBytes(test.text))) {
        test.real = static_cast<double>(*test.number);
    }
    if (isOrdering(op.op) && !test.real)
        fail(place, "'" + test.text + "' is no number");
}

} // namespace

const QueryFieldName* fieldOf(std::string_view name)
{
    for (const QueryFieldName& known : kFields) {
        if (equalsFolded(name, known.name))
            return &known;
    }
    return nullptr;
}

std::string_view fieldList()
{
    return kFieldList;
}

void readValue(QueryTest& test, QueryValueType type, const QueryOperator& op, QuerySpan place)
{
    switch (type) {
    case QueryValueType::Text:
        needText(op, "a text");
        return;
    case QueryValueType::KindText:
        needText(op, "a kind");
        needKind(test, place);
        return;
    case QueryValueType::Id:
    case QueryValueType::File:
        test.number = parseInteger(test.text);
        if (isOrdering(op.op) && !test.number)
            fail(place, "'" + test.text + "' is no whole number");
        return;
    case QueryValueType::Time:
        needNumber(test, parseTime(test.text), place, "time (50us, 1.5ms; nothing finer than a nanosecond)");
        return;
    case QueryValueType::Bytes:
        needNumber(test, parseBytes(test.text), place, "number of bytes (4096, 1.5MB)");
        return;
    case QueryValueType::Integer:
        needNumber(test, parseInteger(test.text), place, "whole number");
        return;
    case QueryValueType::Flag:
        needText(op, "unfinished");
        needNumber(test, parseFlag(test.text), place, "answer (true, false)");
        return;
    case QueryValueType::Arg:
        readArgValue(test, op, place);
        return;
    }
}

std::string_view kindName(SliceKind kind)
{
    switch (kind) {
    case SliceKind::Other:
        return "other";
    case SliceKind::CpuOp:
        return "op";
    case SliceKind::UserAnnotation:
        return "annotation";
    case SliceKind::PythonFunction:
        return "python";
    case SliceKind::Runtime:
        return "runtime";
    case SliceKind::Driver:
        return "driver";
    case SliceKind::Kernel:
        return "kernel";
    case SliceKind::Memcpy:
        return "memcpy";
    case SliceKind::Memset:
        return "memset";
    case SliceKind::DeviceSync:
        return "sync";
    case SliceKind::DeviceAnnotation:
        return "device_annotation";
    case SliceKind::Overhead:
        return "overhead";
    }
    return {};
}

} // namespace torchline
