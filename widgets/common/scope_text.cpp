#include "common/scope_text.h"

#include "common/format.h"

#include <QCoreApplication>

namespace torchline {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("scopeParts", text);
}

template <typename Number> QString listed(const std::vector<Number>& numbers)
{
    QStringList texts;
    for (const Number number : numbers)
        texts.append(QString::number(number));
    return texts.join(QStringLiteral(", "));
}

QString filesText(const std::vector<uint32_t>& files, const TraceSnapshot* trace)
{
    QStringList names;
    for (const uint32_t file : files) {
        if (trace == nullptr || file >= trace->files().size())
            return tr("file %1").arg(listed(files));
        names.append(fileNameText(trace->file(file).info.path));
    }
    return names.join(QStringLiteral(", "));
}

} // namespace

std::vector<ScopePart> scopeParts(const Scope& scope, const TraceSnapshot* trace)
{
    std::vector<ScopePart> parts;
    if (scope.range) {
        Scope without = scope;
        without.range.reset();
        const bool isOpen = scope.range->beginNs == kMinNs || scope.range->endNs == kMaxNs;
        parts.push_back({isOpen ? tr("range") : tr("range %1").arg(formatDuration(scope.range->spanNs())), without});
    }
    if (scope.step) {
        Scope without = scope;
        without.step.reset();
        parts.push_back({tr("step %1").arg(*scope.step), without});
    }
    if (scope.annotation) {
        Scope without = scope;
        without.annotation.reset();
        parts.push_back({tr("inside %1").arg(displayText(*scope.annotation)), without});
    }
    if (!scope.files.empty()) {
        Scope without = scope;
        without.files.clear();
        parts.push_back({filesText(scope.files, trace), without});
    }
    if (!scope.ranks.empty()) {
        Scope without = scope;
        without.ranks.clear();
        parts.push_back({tr("rank %1").arg(listed(scope.ranks)), without});
    }
    if (!scope.filter.empty()) {
        Scope without = scope;
        without.filter.clear();
        parts.push_back({displayText(scope.filter), without});
    }
    return parts;
}

Scope withFilter(Scope scope, const std::string& condition)
{
    if (condition.empty())
        return scope;
    scope.filter = scope.filter.empty() ? condition : "(" + scope.filter + ") and (" + condition + ")";
    return scope;
}

} // namespace torchline
