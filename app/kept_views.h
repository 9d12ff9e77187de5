#pragma once
// KeptViews: how a person looked at each trace, remembered by the paths of its files; the traces looked at last, so
// many. Thread: GUI thread only.

#include "settings.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace torchline {

class KeptViews {
public:
    static constexpr qsizetype kMostTraces = 100;

    explicit KeptViews(Settings& settings)
        : m_settings(settings)
    {
    }

    struct Kept {
        bool isSameSize = true; ///< the files are as long as they were
        nlohmann::json view; ///< see view_memory.h
    };
    [[nodiscard]] std::optional<Kept> of(const std::vector<std::string>& paths) const;
    void remember(const std::vector<std::string>& paths, const nlohmann::json& view);

private:
    Settings& m_settings;
};

} // namespace torchline
